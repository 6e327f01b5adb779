import type { Decompress } from "../../../domain/webhooks/explain/compression.ts";

/** Decompresses gzip (RFC 1952), zlib (RFC 1950) and deflate (RFC 1951) as node:zlib does. A browser has no brotli. */
export const decompress: Decompress = (bytes, compression, maxBytes) => {
  const input = new BitReader(bytes);
  const output = new Output(maxBytes);
  switch (compression) {
    case "gzip":
      // Further members can follow, and zeros, which are padding.
      do readGzipMember(input, output);
      while (bytes[input.at]);
      break;
    case "deflate":
      readZlib(input, output);
      break;
    case "deflate-raw":
      inflate(input, output);
      break;
    case "br":
      throw new TypeError("no decoder of brotli");
  }
  return output.bytes();
};

class BitReader {
  readonly #bytes: Uint8Array;
  at = 0;
  #bits = 0;
  #count = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  byte(): number {
    const byte = this.#bytes[this.at];
    if (byte === undefined) throw new RangeError("the data ends too early");
    this.at += 1;
    return byte;
  }

  bits(wanted: number): number {
    while (this.#count < wanted) {
      this.#bits |= this.byte() << this.#count;
      this.#count += 8;
    }
    const value = this.#bits & ((1 << wanted) - 1);
    this.#bits >>>= wanted;
    this.#count -= wanted;
    return value;
  }

  crcSince(start: number): number {
    return computeCrc(this.#bytes.subarray(start, this.at));
  }

  /** Drops the bits up to the next byte. */
  align(): void {
    this.#bits = 0;
    this.#count = 0;
  }
}

class Output {
  readonly #maxBytes: number;
  #bytes = new Uint8Array(1 << 14);
  length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  push(byte: number): void {
    if (this.length === this.#maxBytes) throw new RangeError("too many bytes");
    if (this.length === this.#bytes.length) {
      const larger = new Uint8Array(2 * this.length);
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    this.#bytes[this.length++] = byte;
  }

  /** Repeats bytes from before; they may overlap. */
  repeat(distance: number, count: number, start: number): void {
    if (distance > this.length - start) throw new RangeError("nothing so far back");
    for (let left = count; left > 0; left -= 1) this.push(this.#bytes[this.length - distance] as number);
  }

  bytes(start = 0): Uint8Array {
    return this.#bytes.subarray(start, this.length);
  }
}

/** Symbols by the length of their code, in the order of the codes. */
interface Huffman {
  readonly counts: Uint16Array;
  readonly symbols: readonly number[];
}

const MAX_CODE_BITS = 15;

function createHuffman(lengths: readonly number[], canBeIncomplete: boolean): Huffman {
  const counts = new Uint16Array(MAX_CODE_BITS + 1);
  for (const length of lengths) if (length > 0) counts[length] = (counts[length] ?? 0) + 1;
  let free = 1;
  for (let length = 1; length <= MAX_CODE_BITS; length += 1) {
    free = 2 * free - (counts[length] ?? 0);
    if (free < 0) throw new RangeError("too many codes");
  }
  const used = lengths.filter((length) => length > 0);
  // One code of one bit, or none at all, is allowed where nothing else is needed.
  if (free > 0 && !(canBeIncomplete && used.every((length) => length === 1) && used.length <= 1))
    throw new RangeError("too few codes");
  const symbols = [...lengths.keys()].filter((symbol) => lengths[symbol] !== 0);
  return {
    counts,
    symbols: symbols.sort((one, other) => (lengths[one] ?? 0) - (lengths[other] ?? 0) || one - other),
  };
}

function decode(input: BitReader, { counts, symbols }: Huffman): number {
  let code = 0;
  let first = 0;
  let index = 0;
  for (let length = 1; length <= MAX_CODE_BITS; length += 1) {
    code |= input.bits(1);
    const count = counts[length] as number;
    if (code - count < first) return symbols[index + code - first] as number;
    index += count;
    first = (first + count) << 1;
    code <<= 1;
  }
  throw new RangeError("no such code");
}

const repeatLength = (count: number, length: number): number[] => Array.from({ length: count }, () => length);

const FIXED_LENGTHS = createHuffman(
  [...repeatLength(144, 8), ...repeatLength(112, 9), ...repeatLength(24, 7), ...repeatLength(8, 8)],
  false,
);
const FIXED_DISTANCES = createHuffman(repeatLength(32, 5), false);

const LENGTH_BITS = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
const DISTANCE_BITS = Array.from({ length: 30 }, (_, code) => Math.max(0, (code >> 1) - 1));

/** The smallest value of each code: those before it take up so many bits. */
function sumUp(bits: readonly number[], first: number): number[] {
  let next = first;
  return bits.map((count) => {
    const base = next;
    next += 1 << count;
    return base;
  });
}

const LENGTHS = sumUp(LENGTH_BITS, 3).with(28, 258);
const DISTANCES = sumUp(DISTANCE_BITS, 1);

const CODE_LENGTH_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
const END_OF_BLOCK = 256;

function inflate(input: BitReader, output: Output): void {
  const start = output.length;
  let isLast = false;
  while (!isLast) {
    isLast = input.bits(1) === 1;
    const type = input.bits(2);
    if (type === 0) copyStored(input, output);
    else if (type === 1) inflateBlock(input, output, start, FIXED_LENGTHS, FIXED_DISTANCES);
    else if (type === 2) inflateBlock(input, output, start, ...readCodes(input));
    else throw new RangeError("no such block");
  }
  input.align();
}

function copyStored(input: BitReader, output: Output): void {
  input.align();
  const [length, complement] = [readNumber(input, 2), readNumber(input, 2)];
  if (length + complement !== 0xffff) throw new RangeError("a damaged length");
  for (let left = length; left > 0; left -= 1) output.push(input.byte());
}

function readCodes(input: BitReader): [lengths: Huffman, distances: Huffman] {
  const [lengthCount, distanceCount, orderCount] = [
    input.bits(5) + 257,
    input.bits(5) + 1,
    input.bits(4) + 4,
  ];
  if (lengthCount > 286 || distanceCount > 30) throw new RangeError("too many codes");
  const ordered = repeatLength(19, 0);
  for (const symbol of CODE_LENGTH_ORDER.slice(0, orderCount)) ordered[symbol] = input.bits(3);
  const codes = createHuffman(ordered, false);
  const all: number[] = [];
  while (all.length < lengthCount + distanceCount) {
    const symbol = decode(input, codes);
    if (symbol < 16) all.push(symbol);
    else if (symbol === 16) {
      if (all.length === 0) throw new RangeError("nothing to repeat");
      all.push(...repeatLength(3 + input.bits(2), all.at(-1) ?? 0));
    } else all.push(...repeatLength(symbol === 17 ? 3 + input.bits(3) : 11 + input.bits(7), 0));
  }
  if (all.length > lengthCount + distanceCount || all[END_OF_BLOCK] === 0)
    throw new RangeError("damaged codes");
  return [createHuffman(all.slice(0, lengthCount), true), createHuffman(all.slice(lengthCount), true)];
}

function inflateBlock(
  input: BitReader,
  output: Output,
  start: number,
  lengths: Huffman,
  distances: Huffman,
): void {
  for (;;) {
    const symbol = decode(input, lengths);
    if (symbol === END_OF_BLOCK) return;
    if (symbol < END_OF_BLOCK) {
      output.push(symbol);
      continue;
    }
    const [length, lengthBits] = [LENGTHS[symbol - 257], LENGTH_BITS[symbol - 257]];
    if (length === undefined) throw new RangeError("no such length");
    const count = length + input.bits(lengthBits ?? 0);
    const code = decode(input, distances);
    const distance = DISTANCES[code];
    if (distance === undefined) throw new RangeError("no such distance");
    output.repeat(distance + input.bits(DISTANCE_BITS[code] ?? 0), count, start);
  }
}

/** Little-endian. */
function readNumber(input: BitReader, bytes: number): number {
  let number = 0;
  for (let at = 0; at < bytes; at += 1) number += input.byte() * 2 ** (8 * at);
  return number;
}

const FLAG = { headerCrc: 2, extra: 4, name: 8, comment: 16, reserved: 0xe0 };

function readGzipMember(input: BitReader, output: Output): void {
  const start = input.at;
  if (readNumber(input, 3) !== 0x088b1f) throw new RangeError("no gzip");
  const flags = input.byte();
  if (flags & FLAG.reserved) throw new RangeError("unknown flags");
  readNumber(input, 6);
  if (flags & FLAG.extra) for (let left = readNumber(input, 2); left > 0; left -= 1) input.byte();
  for (const flag of [FLAG.name, FLAG.comment]) if (flags & flag) while (input.byte() !== 0);
  if (flags & FLAG.headerCrc) {
    const crc = input.crcSince(start) & 0xffff;
    if (readNumber(input, 2) !== crc) throw new RangeError("a damaged header");
  }
  const from = output.length;
  inflate(input, output);
  const bytes = output.bytes(from);
  const [crc, length] = [readNumber(input, 4), readNumber(input, 4)];
  if (crc !== computeCrc(bytes) || length !== bytes.length) throw new RangeError("damaged data");
}

function readZlib(input: BitReader, output: Output): void {
  const [method, flags] = [input.byte(), input.byte()];
  if ((method & 0x0f) !== 8 || method >> 4 > 7 || (method * 256 + flags) % 31 !== 0 || flags & 0x20)
    throw new RangeError("no zlib");
  inflate(input, output);
  const bytes = output.bytes();
  let sum = 0;
  for (let at = 0; at < 4; at += 1) sum = sum * 256 + input.byte();
  if (sum !== computeAdler(bytes)) throw new RangeError("damaged data");
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  return crc >>> 0;
});

function computeCrc(bytes: Uint8Array): number {
  let crc = -1;
  for (const byte of bytes) crc = (crc >>> 8) ^ (CRC_TABLE[(crc ^ byte) & 0xff] as number);
  return ~crc >>> 0;
}

function computeAdler(bytes: Uint8Array): number {
  let [one, two] = [1, 0];
  for (const byte of bytes) {
    one = (one + byte) % 65_521;
    two = (two + one) % 65_521;
  }
  return two * 65_536 + one;
}
