/** A program of another language that reads the body from stdin and prints it as receivers and senders get it wrong. */
export interface LanguagePrint {
  readonly name: string;
  readonly program: "python3" | "perl" | "php" | "ruby";
  readonly args: readonly string[];
  /** The cause, its certainty, and who has the printed form: the receiver, or the sender who signed it. */
  readonly cause: string;
  readonly certainty: "proved" | "likely";
  readonly who: "receiver" | "sender";
  /** Whether Content-Length of the signed body is known. */
  readonly hasLength: boolean;
}

const print =
  (program: LanguagePrint["program"], option: string, prefix = "") =>
  (
    name: string,
    cause: string,
    code: string,
    { certainty = "proved", who = "receiver", hasLength = false }: Partial<LanguagePrint> = {},
  ): LanguagePrint => ({
    ...{ name: `${name} (${program})`, program, args: [option, `${prefix}${code}`] },
    ...{ cause, certainty, who, hasLength },
  });

const python = print(
  "python3",
  "-c",
  "import sys,json; text=sys.stdin.buffer.read().decode(); w=sys.stdout.buffer.write; ",
);
const perl = print("perl", "-e", "local $/; binmode STDIN; binmode STDOUT; $_ = <STDIN>; ");
const php = print("php", "-r", '$text = file_get_contents("php://stdin"); ');
const ruby = print("ruby", "-e", 'require "json"; text = STDIN.read.force_encoding("UTF-8"); ');
const SENDER = { who: "sender" } as const;
const LIKELY = { certainty: "likely", hasLength: true } as const;

/** Numbers that every language prints as they are. */
export const PRINTED_BODY =
  '{"id":"3f0c9a","type":"partner.test","environment":"sandbox","createdAt":"2026-11-22T08:08:50.120Z","data":{"note":"caf\u00e9 & <b> a/b + 100%","cents":2109374,"ratio":12.5,"list":[],"paid":null,"ok":true}}';

export const LANGUAGE_PRINTS: readonly LanguagePrint[] = [
  python("json.dumps", "body.reserialized", "w(json.dumps(json.loads(text)).encode())"),
  python("json.dumps, signed", "body.reserialized", "w(json.dumps(json.loads(text)).encode())", SENDER),
  python(
    "json.dumps, not ASCII",
    "body.reserialized",
    "w(json.dumps(json.loads(text), ensure_ascii=False).encode())",
  ),
  python(
    "json.dumps with indent=2",
    "body.reserialized",
    "w(json.dumps(json.loads(text), indent=2).encode())",
  ),
  python(
    "json.dumps with sort_keys, signed",
    "body.keys_sorted",
    "w(json.dumps(json.loads(text), sort_keys=True).encode())",
    SENDER,
  ),
  python("a printed dict", "body.printed", "w(str(json.loads(text)).encode())"),
  python("printed bytes", "body.printed", "w(str(text.encode()).encode())"),
  python("print", "body.trailing_newline", "w((text + chr(10)).encode())"),
  python("html.escape", "body.html_entities", "import html; w(html.escape(text).encode())"),
  python(
    "urllib.parse.quote_plus",
    "body.percent_encoded",
    "import urllib.parse; w(urllib.parse.quote_plus(text).encode())",
  ),
  python("base64.encodebytes", "body.base64", "import base64; w(base64.encodebytes(text.encode()))"),
  python("zlib.compress", "body.compressed", "import zlib; w(zlib.compress(text.encode()))"),
  python("UTF-16", "body.charset", 'w(text.encode("utf-16"))'),
  python(
    "unicodedata NFD",
    "body.unicode_normalized",
    'import unicodedata; w(unicodedata.normalize("NFD", text).encode())',
  ),
  python("decoded as Latin-1", "body.charset", 'w(text.encode().decode("latin-1").encode())'),
  python("ASCII with ?", "body.replaced_characters", 'w(text.encode("ascii", "replace"))', LIKELY),
  perl("CRLF line ends after wrapping", "body.printed", "s/(.{76})/$1\\r\\n/g; print"),
  perl("quotes with backslashes", "body.printed", 's/"/\\\\"/g; print'),
  perl("hex", "body.printed", 'print unpack("H*", $_)'),
  perl("MIME::Base64", "body.base64", "use MIME::Base64; print encode_base64($_)"),
  perl(
    "JSON::PP with canonical, signed",
    "body.keys_sorted",
    "use JSON::PP; print JSON::PP->new->utf8->canonical->encode(decode_json($_))",
    SENDER,
  ),
  perl("big-endian UTF-16", "body.charset", 'use Encode; print encode("UTF-16", decode("UTF-8", $_))'),
  php("json_encode", "body.reserialized", "echo json_encode(json_decode($text));"),
  php("json_encode, signed", "body.reserialized", "echo json_encode(json_decode($text));", SENDER),
  php("JSON_PRETTY_PRINT", "body.reserialized", "echo json_encode(json_decode($text), JSON_PRETTY_PRINT);"),
  php("htmlspecialchars", "body.html_entities", "echo htmlspecialchars($text);"),
  php("addslashes", "body.printed", "echo addslashes($text);"),
  php("rawurlencode, signed", "body.percent_encoded", "echo rawurlencode($text);", SENDER),
  php("http_build_query", "body.form_encoded", 'echo http_build_query(["payload" => $text]);'),
  php("var_export of a string", "body.printed", "var_export($text);"),
  php("gzencode", "body.compressed", "echo gzencode($text);"),
  ruby("JSON.generate of itself", "body.double_encoded", "print JSON.generate(text)"),
  ruby("JSON.pretty_generate", "body.reserialized", "print JSON.pretty_generate(JSON.parse(text))"),
  ruby("a printed hash", "body.printed", "print JSON.parse(text).inspect"),
  ruby("puts", "body.trailing_newline", "puts text"),
  ruby("URI.encode_www_form", "body.form_encoded", 'require "uri"; print URI.encode_www_form(payload: text)'),
  ruby("pack m", "body.base64", 'print [text].pack("m")'),
];
