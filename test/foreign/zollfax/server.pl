#!/usr/bin/perl
# ZollFax partner interface, core modules only.  perl server.pl PORT
use strict; use warnings; use utf8;
use IO::Socket::INET; use IO::Select; use JSON::PP; use Digest::SHA qw(hmac_sha256_hex); use POSIX qw(strftime);

my ($KEY, $CLIENT, $SECRET, %TOKEN) = ('zf-4711-sandbox', 'zf-client', 'zf-geheim');
my $J = JSON::PP->new->utf8->canonical;
my $BASE = 1771200000; my ($TRUE, $FALSE) = ('Y', 'N'); my @EVENTS = qw(partner.test partner.capability.changed partner.environment.promoted partner.credential.rotated);
sub uuid { my $h = join '', map { sprintf '%02x', int rand 256 } 1 .. 16; substr($h, 12, 1) = '4'; substr($h, 16, 1) = 'a'; join '-', unpack 'A8A4A4A4A12', $h }
sub local_time { my $t = shift // time; strftime('%Y-%m-%dT%H:%M:%S+01:00', gmtime($t + 3600)) }
sub euro { my $s = sprintf '%.2f', $_[0] / 100; $s =~ s/\./,/; $s }

my $ORG = { OrganizationId => uuid(), CompanyName => 'ZollFax Probebetrieb', Broker => $TRUE, Registered => local_time($BASE), Seats => 4 };
my (@clients, @claims, @offers, @ledger, @scans, @hooks, @deliveries, %jobs, %kept);
my $i = 0;
for my $name ('Adler Uhren', 'Bergmann Ski', 'Christl Keramik', 'Donau Export', 'Eiche Parkett', 'Falke Rad', 'Gold Instrumente') {
  push @clients, { ClientId => uuid(), CompanyName => $name, ImporterRef => sprintf('31-44%05d', $i), Category => (qw(Gold Silver Bronze))[$i % 3], Registered => local_time($BASE + $i * 5000), DutiesTotal => euro(660033 + 101 * $i), Currency => 'USD', Insured => $i % 2 ? $FALSE : $TRUE };
  push @claims, { ClaimId => uuid(), ClientRef => $clients[-1]{ClientId}, Status => (qw(Lodged Checked Refunded))[$i % 3], Refund => euro(120012 + $i), Currency => 'USD', Lodged => local_time($BASE + 60 * $i), EntryCount => 1 + $i };
  push @offers, { OfferId => uuid(), ClaimRef => $claims[-1]{ClaimId}, Payout => euro(90000 + $i), Currency => 'USD', FeePercent => sprintf('%d,%02d', 4, 5 * $i), Binding => $TRUE, ValidTo => '2026-09-30' } if $i < 4;
  push @ledger, { EntryId => uuid(), ClaimRef => $claims[-1]{ClaimId}, Amount => euro($i % 3 ? 3300 + $i : -250 - $i), Currency => 'USD', Booked => local_time($BASE + 30 * $i) };
  $i++;
}
push @scans, { ScanId => uuid(), Status => 'closed', EntriesRead => 377, Potential => euro(2233044), Currency => 'USD', Started => local_time($BASE) };
push @hooks, { secret => 'zfs-0000', view => { id => uuid(), label => 'Archiv', url => 'https://zf.example.org/ein', subscribedEvents => ['partner.test'], environmentScope => 'production', secretPrefix => 'zfs-0', status => 'active', LastDelivery => local_time($BASE), LastSuccess => local_time($BASE), LastFailure => undef } };
sub delivery { my ($hook, $event, %more) = @_; my $d = { DeliveryId => uuid(), EndpointId => $hook, EventName => $event, status => 'queued', attemptCount => 0, lastResponseStatus => undef, lastError => undef, lastAttemptAt => undef, nextAttemptAt => undef, deliveredAt => undef, %more }; push @deliveries, $d; $d }
my $h0 = $hooks[0]{view}{id};
delivery($h0, 'partner.test', status => 'delivered', attemptCount => 1, lastResponseStatus => 200, lastAttemptAt => local_time($BASE), deliveredAt => local_time($BASE));
delivery($h0, 'partner.test', status => 'retrying', attemptCount => 3, lastResponseStatus => 429, lastError => 'too many requests', lastAttemptAt => local_time($BASE + 9), nextAttemptAt => local_time($BASE + 900));
delivery($h0, 'partner.test', status => 'failed', attemptCount => 7, lastError => 'connection refused', lastAttemptAt => local_time($BASE + 5));

sub fault { my ($status, $code, $text, $headers) = @_; die { status => $status, doc => { Fault => { Reason => 'Request refused', Detail => [{ Code => $code, Text => $text }] } }, headers => $headers || {} } }
sub find { my ($list, $key, $id) = @_; for (@$list) { return $_ if $_->{$key} eq ($id // '') } fault(404, 'ZF-404', 'not found: ' . ($id // '')) }
sub page { my ($list, $q, $outer, $inner) = @_; my ($start, $count) = ($q->{Start} // 0, $q->{Count} // 3); fault(416, 'ZF-416', 'Start and Count must fit the list') unless $start =~ /^\d+$/ && $count =~ /^[1-9]\d*$/ && $start < (@$list || 1);
  my $end = $start + $count - 1; $end = $#$list if $end > $#$list; my $total = @$list; return { status => $end - $start + 1 < $total ? 206 : 200, doc => { $outer => { $inner => [@$list[$start .. $end]] } }, headers => { 'Content-Range' => "items $start-$end/$total" } } }
sub ok { my ($doc, $status, $headers) = @_; { status => $status || 200, doc => $doc, headers => $headers || {} } }

sub job_view { my $j = shift; { DiligenceJob => { JobNumber => $j->{id}, Seller => $j->{seller}, ProtestPapers => $j->{protest}, Progress => { Status => $j->{status}, RowsTotal => scalar @{ $j->{rows} }, Step => $j->{reads} > 3 ? 4 : $j->{reads} }, Received => local_time($j->{t}), Finished => $j->{end} ? local_time($j->{end}) : undef, Fee => euro(210 * @{ $j->{rows} }), Currency => 'USD' } } }
sub move { my $j = shift; return if $j->{end}; my $n = ++$j->{reads}; $j->{status} = $n < 2 ? 'open' : $n < 4 ? 'working' : $j->{csv} =~ /SBX-3/ ? 'failed' : $j->{csv} =~ /SBX-1/ && !$j->{resumed} ? 'partial' : 'closed'; $j->{end} = time if $n > 3 }
sub job { $jobs{ $_[0] } || fault(404, 'ZF-404', 'no such job') }
sub finished { my $j = job(shift); fault(409, 'ZF-210', "still $j->{status}", { 'Retry-After' => 2 }) unless $j->{end}; fault(409, 'ZF-211', 'the job failed') if $j->{status} eq 'failed'; $j }

my @todo;   # deliveries are made after the response was sent
sub emit { my ($hook, $event) = @_; my $v = $hook->{view}; my $t = strftime('%Y%m%dT%H%M%SZ', gmtime); my $body = $J->encode({ Event => { Name => $event, Number => uuid(), OccurredAt => local_time(), Synthetic => $TRUE }, Sender => $ORG->{CompanyName} });
  my $sig = hmac_sha256_hex("$t.$body", $hook->{secret}); my $d = delivery($v->{id}, $event);
  push @todo, sub { my ($host, $port, $path) = $v->{url} =~ m{^http://(127\.0\.0\.1|localhost)(?::(\d+))?(/.*)?$} or return;   # loopback only in this build
    my ($code, $err); if (my $s = IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $port || 80, Timeout => 2)) { print $s "POST " . ($path || '/') . " HTTP/1.1\r\nHost: $host\r\nContent-Type: application/json\r\nX-Service-Event: $event\r\nX-Service-Timestamp: $t\r\nX-Service-Signature: $sig\r\nContent-Length: " . length($body) . "\r\nConnection: close\r\n\r\n$body"; IO::Select->new($s)->can_read(5) and ($code) = (<$s> // '') =~ m{ (\d{3})}; close $s } else { $err = 'connection refused' }
    my $good = $code && $code =~ /^2/; @$d{qw(status attemptCount lastResponseStatus lastError lastAttemptAt deliveredAt)} = ($good ? 'delivered' : 'failed', 1, $code ? $code + 0 : undef, $good ? undef : $err || "answer $code", local_time(), $good ? local_time() : undef); $v->{LastDelivery} = $v->{ $good ? 'LastSuccess' : 'LastFailure' } = local_time() };
  { EndpointId => $v->{id}, EventName => $event, Headers => { 'X-Service-Event' => $event, 'X-Service-Timestamp' => $t, 'X-Service-Signature' => $sig }, Body => $body } }

my %ALIAS = (map({ ("/broker/v1/$_" => "/v1/$_") } qw(clients notifications revenue/ledger revenue/dashboard claims offers litigation/enroll)), '/broker/v1/webhooks/register' => '/v1/webhooks/endpoints', '/broker/v1/portfolio/scan' => '/v1/portfolio-scans', '/broker/v1/portfolio/delta-scan' => '/v1/portfolio-scans', map { ($_ => "/v1/partner-organizations/$ORG->{OrganizationId}") } qw(/broker/onboard /broker/v1/onboard));
my %OLD = map { $_ => 1 } qw(/broker/onboard /broker/v1/portfolio/delta-scan /broker/v1/portfolio/summary);
my $SWAGGER = { swagger => '2.0', info => { title => 'ZollFax', version => '12' }, basePath => '/', paths => { '/v1/diligence/status/{jobId}' => { get => { produces => ['application/json'], parameters => [{ name => 'jobId', in => 'path', type => 'string', required => JSON::PP::true }], responses => { 200 => { description => 'job', schema => { '$ref' => '#/definitions/DiligenceJobEnvelope' } } } } }, '/v1/claims' => { get => { parameters => [map { { name => $_, in => 'query', type => 'integer' } } qw(Start Count)], responses => { 206 => { description => 'a page' }, 200 => { description => 'all' } } } }, '/v1/diligence/submit' => { post => { consumes => ['multipart/form-data'], parameters => [{ name => 'Idempotency-Key', in => 'header', type => 'string' }], responses => { 202 => { description => 'queued' } } } } },
  definitions => { DiligenceJobEnvelope => { type => 'object', properties => { DiligenceJob => { type => 'object', properties => { JobNumber => { type => 'string', format => 'uuid' }, Seller => { type => 'string' }, ProtestPapers => { type => 'string', enum => [$TRUE, $FALSE] }, Progress => { type => 'object', properties => { Status => { type => 'string', enum => [qw(open working closed partial failed)] }, RowsTotal => { type => 'integer' }, Step => { type => 'integer' } } }, Received => { type => 'string' }, Finished => { type => 'string' }, Fee => { type => 'string' }, Currency => { type => 'string' } } } } } } };

sub route { my ($m, $path, $q, $h, $body) = @_;
  my $in = sub { my $d = eval { $J->decode(length $body ? $body : '{}') }; ref $d eq 'HASH' ? $d : fault(400, 'ZF-400', 'the body is no JSON object') };
  if ("$m $path" eq 'POST /v1/oauth/token') { my %f = map { my ($k, $v) = split /=/, $_, 2; $v //= ''; $v =~ s/%(..)/chr hex $1/ge; ($k => $v) } split /&/, $body; fault(401, 'ZF-402', 'client refused') unless ($f{client_id} // '') eq $CLIENT && ($f{client_secret} // '') eq $SECRET; my $t = uuid() =~ s/-//gr; $TOKEN{$t} = 1; return ok({ AccessToken => $t, TokenType => 'Bearer', ExpiresAt => local_time(time + 1800) }, 201) }
  my ($cred) = ($h->{authorization} // '') =~ /^Bearer (.+)$/; $cred //= $h->{'x-api-key'} if $path =~ m{^/api/diligence/}; $cred //= '';
  return undef unless $path =~ m{^/(v1|api/diligence)/}; fault(401, 'ZF-401', 'credential refused', { 'WWW-Authenticate' => 'Bearer' }) unless $cred eq $KEY || $TOKEN{$cred}; $path =~ s{^/api}{/v1}; local $_ = "$m $path";
  if ($_ eq 'GET /v1/clients') { return page(\@clients, $q, 'Clients', 'Client') } if ($_ eq 'GET /v1/claims') { return page(\@claims, $q, 'Claims', 'Claim') } if ($_ eq 'GET /v1/offers') { return page(\@offers, $q, 'Offers', 'Offer') }
  if ($_ eq 'GET /v1/revenue/ledger') { return page(\@ledger, { Count => 100, %$q }, 'Ledger', 'Entry') } if ($_ eq 'GET /v1/revenue/dashboard') { return ok({ Dashboard => { Earned => euro(88812), Expected => euro(1205), Currency => 'USD', State => local_time() } }) }
  if ($_ eq 'GET /v1/claims/status') { my $c = find(\@claims, 'ClaimId', $q->{claimId}); return ok({ ClaimStatus => { ClaimRef => $c->{ClaimId}, Status => $c->{Status} } }) }
  if ($_ eq 'POST /v1/clients') { my $d = $in->(); fault(422, 'ZF-422', 'CompanyName is missing') unless $d->{CompanyName}; push @clients, { ClientId => uuid(), CompanyName => $d->{CompanyName}, ImporterRef => $d->{ImporterRef}, Category => 'Bronze', Registered => local_time(), DutiesTotal => '0,00', Currency => 'USD', Insured => $FALSE }; return ok({ Client => $clients[-1] }, 201) }
  if ($_ eq 'POST /v1/claims') { my $d = $in->(); push @claims, { ClaimId => uuid(), ClientRef => $d->{ClientRef}, Status => 'Lodged', Refund => '0,00', Currency => 'USD', Lodged => local_time(), EntryCount => 0 }; return ok({ Claim => $claims[-1] }, 201) }
  if ($_ eq 'POST /v1/offers') { my $d = $in->(); push @offers, { OfferId => uuid(), ClaimRef => $d->{ClaimRef}, Payout => $d->{Payout} // '0,00', Currency => 'USD', FeePercent => '4,00', Binding => $FALSE, ValidTo => '2026-12-31' }; return ok({ Offer => $offers[-1] }, 201) }
  if ($_ eq 'POST /v1/portfolio-scans') { push @scans, { ScanId => uuid(), Status => 'open', EntriesRead => 0, Potential => '0,00', Currency => 'USD', Started => local_time() }; return ok({ Scan => $scans[-1] }, 202) }
  if ($_ eq 'POST /v1/notifications') { return ok({ Notification => { NotificationId => uuid(), Sent => $FALSE } }, 200) } if ($_ eq 'POST /v1/litigation/enroll') { return ok({ Enrollment => { EnrollmentId => uuid(), Status => 'Enrolled', Enrolled => local_time() } }, 201) }
  if ($_ eq 'GET /v1/webhooks/endpoints') { return ok({ Endpoints => { Endpoint => [map { $_->{view} } @hooks] } }) }
  if ($_ eq 'POST /v1/webhooks/endpoints') { my $d = $in->(); for my $f (qw(label url subscribedEvents environmentScope)) { fault(422, 'ZF-422', "$f is missing") unless $d->{$f} } my $secret = 'zfs-' . uuid(); my $v = { id => uuid(), (map { ($_ => $d->{$_}) } qw(label url subscribedEvents environmentScope)), secretPrefix => substr($secret, 0, 8), status => 'active', LastDelivery => undef, LastSuccess => undef, LastFailure => undef }; push @hooks, { secret => $secret, view => $v }; return ok({ Endpoint => { %$v, Secret => { signingSecret => $secret } } }, 201) }
  if ($_ eq 'GET /v1/webhook-deliveries') { return ok({ Deliveries => { Delivery => [grep { !defined $q->{EndpointId} || $_->{EndpointId} eq $q->{EndpointId} } @deliveries] } }) }
  if ($_ eq 'POST /v1/sandbox/webhooks/test') { my $e = $in->()->{eventType} // ''; fault(422, 'ZF-450', "$e is not published") unless grep { $_ eq $e } @EVENTS; return ok({ Previews => { Preview => [map { emit($_, $e) } grep { my $v = $_->{view}; $v->{status} eq 'active' && $v->{environmentScope} ne 'production' && grep { $_ eq $e } @{ $v->{subscribedEvents} } } @hooks] } }) }
  if ($_ eq 'POST /v1/diligence/submit') { my ($b) = ($h->{'content-type'} // '') =~ /boundary="?([^";]+)/ or fault(415, 'ZF-415', 'multipart form expected'); my %f; for my $p (split /--\Q$b\E/, $body) { $f{$1} = $2 if $p =~ /name="([^"]+)".*?\r\n\r\n(.*)\r\n\z/s } for my $n (qw(seller_name file)) { fault(422, 'ZF-422', "$n is missing") unless length($f{$n} // '') }
    utf8::decode($f{seller_name}); my $idem = $h->{'idempotency-key'}; my $print = Digest::SHA::sha1_hex($f{file}); my $j = $idem && $kept{$idem}; fault(409, 'ZF-409', 'this key was used with another file') if $j && $j->{print} ne $print;
    if (!$j) { my (undef, @rows) = grep { length } split /\r?\n/, $f{file}; $j = { id => uuid(), seller => $f{seller_name}, protest => ($f{requires_protest_documentation} // '') eq 'true' ? $TRUE : $FALSE, csv => $f{file}, rows => \@rows, status => 'open', reads => 0, t => time, print => $print }; $jobs{ $j->{id} } = $j; $kept{$idem} = $j if $idem }
    return ok({ Submission => { JobNumber => $j->{id}, Status => $j->{status}, Accepted => local_time($j->{t}), Correlation => uuid() } }, 202) }
  if (m{^GET /v1/diligence/status/([^/]+)$}) { my $j = job($1); move($j); return ok(job_view($j)) }
  if (m{^GET /v1/diligence/report/([^/]+)$}) { my $j = finished($1); my $n = @{ $j->{rows} }; my $good = $j->{status} eq 'closed'; return ok({ Report => { JobNumber => $j->{id}, Edition => 'ZF 12', Findings => { rf8Review => { Result => $good ? 'Approved' : 'Open', Reviewed => local_time($j->{end}), ByHand => $FALSE, Quota => sprintf('%d,%02d', 91, $n) } }, Totals => { Rows => $n, Refund => euro(51010 * $n), Currency => 'USD' } } }) }
  if (m{^GET /v1/diligence/dataset/([^/]+)$}) { my $j = finished($1); my $k = 0; return { status => 200, type => 'text/tab-separated-values; charset=UTF-8', headers => {}, raw => join '', "Row\tEntryNumber\tDuty\tEligible\tChecked\n", map { $k++; join("\t", $k, (split /,/)[0], euro(70000 + 33 * $k), $k % 2 ? $TRUE : $FALSE, local_time($j->{end})) . "\n" } @{ $j->{rows} } } }
  if (m{^POST /v1/diligence/jobs/([^/]+)/resume$}) { my $j = job($1); fault(409, 'ZF-220', "a job that is $j->{status} has nothing to resume") unless $j->{status} =~ /^(partial|failed)$/; @$j{qw(resumed reads status end)} = (1, 0, 'open', undef); return { status => 202, raw => '', headers => { Location => "/v1/diligence/status/$j->{id}" } } }
  if (m{^GET /v1/portfolio-scans/([^/]+)(/summary)?$}) { my $sum = $2; my $s = find(\@scans, 'ScanId', $1); return ok($sum ? { ScanSummary => { map { ($_ => $s->{$_}) } qw(ScanId EntriesRead Potential Currency) } } : { Scan => $s }) }
  if (m{^(GET|PUT|POST) /v1/partner-organizations/\Q$ORG->{OrganizationId}\E$}) { if ($1 ne 'GET') { my $n = $in->()->{CompanyName}; $ORG->{CompanyName} = $n if $n } return ok({ Organization => $ORG }) }
  return ok($SWAGGER) if $_ eq 'GET /v1/docs/openapi'; return undef }

sub answer { my ($m, $target, $h, $body) = @_; my ($path, $query) = split /\?/, $target, 2; my %q = map { my ($k, $v) = split /=/, $_, 2; s/\+/ /g, s/%(..)/chr hex $1/ge for grep { defined } $k, $v; ($k => $v // '') } split /&/, $query // ''; my %extra;
  my $to = $ALIAS{$path}; $to = "/v1/portfolio-scans/$1" if $path =~ m{^/broker/v1/portfolio/scan/([^/]+)$}; $to = "/v1/portfolio-scans/" . ($q{ScanId} // '') . "/summary" if $path eq '/broker/v1/portfolio/summary';
  if ($to) { %extra = ('X-Service-Broker-Alias' => $path, 'X-Service-Canonical-Path' => $to, 'X-Service-Compatibility-Lifecycle' => $OLD{$path} ? 'migration_only' : 'long_term'); $path = $to }
  my $r = eval { route($m, $path, \%q, $h, $body) }; if (my $e = $@) { $r = ref $e ? $e : { status => 500, raw => "Software error: $e", type => 'text/plain', headers => {} } }
  $r //= { status => 404, type => 'text/html; charset=iso-8859-1', headers => {}, raw => "<!DOCTYPE HTML PUBLIC \"-//IETF//DTD HTML 2.0//EN\">\n<html><head>\n<title>404 Not Found</title>\n</head><body>\n<h1>Not Found</h1>\n<p>The requested URL was not found on this server.</p>\n</body></html>\n" };
  my $out = $r->{raw} // $J->encode($r->{doc}) . "\r\n"; utf8::encode($out) if utf8::is_utf8($out); my %o = (length $out ? ('Content-Type' => $r->{type} || 'application/json; charset=UTF-8') : (), %{ $r->{headers} }, %extra, Server => 'Apache/2.4.57 (Unix)', 'Content-Length' => length $out, Connection => 'close');
  "HTTP/1.1 $r->{status} " . ($r->{status} < 300 ? 'OK' : 'Refused') . "\r\n" . join('', map { "$_: $o{$_}\r\n" } sort keys %o) . "\r\n$out" }

$SIG{PIPE} = 'IGNORE'; $SIG{TERM} = sub { exit 0 }; $| = 1;
my $server = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => $ARGV[0] // 0, Listen => 50, ReuseAddr => 1) or die "listen: $!"; my $sel = IO::Select->new($server); my %buf;
print $J->encode({ url => 'http://127.0.0.1:' . $server->sockport, apiKey => $KEY, clientId => $CLIENT, clientSecret => $SECRET }) . "\n";
while (1) { for my $s ($sel->can_read(30)) {
  if ($s == $server) { my $c = $server->accept or next; $sel->add($c); $buf{$c} = ''; next }
  my $n = sysread $s, $buf{$s}, 65536, length $buf{$s}; my $drop = sub { $sel->remove($s); delete $buf{$s}; close $s }; if (!$n) { $drop->(); next }
  my ($head, $rest) = $buf{$s} =~ /\A(.*?)\r\n\r\n(.*)\z/s or next; my ($first, @lines) = split /\r\n/, $head; my %h = map { /^([^:]+):\s*(.*)$/ ? (lc $1 => $2) : () } @lines; my $body = $rest;
  if (($h{expect} // '') =~ /100-continue/i && !length $rest) { syswrite $s, "HTTP/1.1 100 Continue\r\n\r\n" }
  if (($h{'transfer-encoding'} // '') =~ /chunked/i) { my ($all, $left, $end) = ('', $rest, 0); while ($left =~ /\A([0-9a-fA-F]+)[^\r]*\r\n/) { my ($len, $skip) = (hex $1, $+[0]); last if length($left) < $skip + $len + 2; if (!$len) { $end = 1; last } $all .= substr $left, $skip, $len; $left = substr $left, $skip + $len + 2 } next unless $end; $body = $all } elsif (length $rest < ($h{'content-length'} // 0)) { next }
  my ($m, $target) = split ' ', $first; my $out = answer($m, $target, \%h, $body); $s->blocking(1); my $o = 0; while ($o < length $out) { my $w = syswrite $s, $out, length($out) - $o, $o; last unless $w; $o += $w } $drop->(); (shift @todo)->() while @todo } }
