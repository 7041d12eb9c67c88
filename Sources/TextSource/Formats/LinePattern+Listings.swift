extension LinePattern {
  private static let text = ColumnHint(.text)
  private static let day = #"\d{4}-\d\d-\d\d"#
  private static let clock = #"\d\d:\d\d:\d\d"#
  private static let object = "[0-9a-f]{40,64}"
  private static let mode = #"[-bcdlpsD][-rwxsStT]{9}[.+@]?"#

  private static let chain = #"Chain (?<chain>\S+) \(.*\)"#
  private static let ruleHints: [String: ColumnHint] = [
    "prot": text, "source": text, "destination": text, "options": text, "opt": text, "in": text, "out": text,
  ]

  /// The patterns for listings of files, objects and packages, which others would read in part.
  static let listings: [LinePattern] = [
    LinePattern(
      "diagnostic-codes",
      #"(?<file>[^\s:]+):(?<line>\d+):(?<column>\d+):? (?<code>[A-Z]{1,4}\d{2,5}):? (?<message>.*)"#,
      hints: ["file": text, "message": text]),
    LinePattern(
      "matches",
      #"(?<file>[^\s:]*(?:/[^\s:]*|\.[A-Za-z]\w{0,5})):(?<line>\d+):(?!\d+: (?:error|warning|note|info|fatal|hint)\b)(?!\d+:[^:]*:)(?<text>.*)"#,
      hints: ["file": text, "line": ColumnHint(.integer), "text": text]),
    LinePattern(
      "match-counts", #"(?<file>[^\s:]*/[^\s:]*):(?<count>\d+)"#, hints: ["file": text], names: .unique),
    LinePattern(
      "checksum-sizes", #"(?<checksum>\d{5,10}) (?<bytes>\d+) (?<file>(?![-bcdlps][-rwxsStT]{9})[^\s"][^"]*)"#,
      hints: ["checksum": text, "bytes": ColumnHint(.bytes(1)), "file": text],
      somewhere: #"\d+ \d+ \S*[./]\S*"#),
    LinePattern(
      "checksum-blocks", #"(?<checksum>0\d{4}|\d{5}) +(?<blocks>\d+) (?<file>(?![-bcdlps][-rwxsStT]{9})[^\s"][^"]*)"#,
      hints: ["checksum": text, "file": text], somewhere: #"0\d{4} +\d+ \S*[./]\S*"#),
    LinePattern(
      "tagged-checksums", #"(?<algorithm>[A-Z][\w/-]*) \((?<file>.+)\) = (?<checksum>[0-9a-f]{16,128})"#,
      hints: ["algorithm": text, "file": text, "checksum": text]),
    LinePattern(
      "git-reflog",
      #"(?<commit>[0-9a-f]{7,40}) (?:\((?<refs>[^)]*)\) )?(?<ref>\S+@\{[^}]+\}): (?<action>[^:]+): (?<message>.*)"#,
      hints: ["commit": text, "ref": text, "message": text]),
    LinePattern(
      "go-benchmarks",
      #"(?<benchmark>Benchmark\S+)\s+(?<iterations>\d+)\s+(?<time>[\d.]+) ns/op(?:\s+(?<speed>[\d.]+ MB/s))?(?:\s+(?<memory>\d+) B/op)?(?:\s+(?<allocations>\d+) allocs/op)?"#,
      hints: ["benchmark": text, "time": ColumnHint(.duration(1e-9)), "memory": ColumnHint(.bytes(1))],
      skipping: #"(?:goos|goarch|pkg|cpu): .*|PASS|ok\s.*"#),
    LinePattern(
      "pytest-durations", #"(?<duration>[\d.]+s) (?<phase>setup|call|teardown) +(?<test>\S.*)"#,
      skipping: "=+ .* =+|\\(\\d+ durations .*"),
    LinePattern(
      "jvm-flags",
      #" *(?<type>\w+) (?<flag>\w+) +:?= (?<value>.*?) +\{(?<kind>[^}]*)\}(?: \{(?<origin>[^}]*)\})?"#,
      hints: ["value": text], skipping: #"\[Global flags\]"#),
    LinePattern(
      "git-tree",
      "(?<mode>\\d{6}) (?<type>blob|tree|commit) (?<object>[0-9a-f]{7,64})(?: +(?<size>\\d+|-))?\\t(?<path>.+)",
      hints: ["mode": text, "object": text, "size": ColumnHint(.bytes(1)), "path": text]),
    LinePattern(
      "git-index", "(?<mode>\\d{6}) (?<object>\(object)) (?<stage>\\d)\\t(?<path>.+)",
      hints: ["mode": text, "object": text, "path": text]),
    LinePattern(
      "git-refs", "(?<object>\(object))(?: (?<type>commit|tag|tree|blob)\\t|\\t| (?=HEAD$|refs/))(?<ref>\\S+)",
      hints: ["object": text]),
    LinePattern(
      "git-objects",
      "(?<object>\(object)) (?<type>commit|tag|tree|blob) +(?<size>\\d+) (?<packed>\\d+) (?<offset>\\d+)"
        + "(?: (?<depth>\\d+) (?<base>\(object)))?",
      hints: ["object": text, "base": text, "size": ColumnHint(.bytes(1)), "packed": ColumnHint(.bytes(1))],
      skipping: #"non delta: .*|chain length .*|.*\.pack: ok"#),
    LinePattern(
      "requirements",
      #"(?<package>[A-Za-z0-9][\w.-]*(?:\[[\w,.-]+\])?)(?<operator>===?|>=|<=|~=|!=| @ )(?<version>\S+)"#,
      hints: ["version": text], skipping: "#.*|-e .*"),
    LinePattern(
      "package-tree",
      #"(?<package>[├└│─┬ ]*(?:@[^/\s@]+/)?[^@\s├└│─┬]+)@(?<version>\d[^\s,]*)(?: (?<notes>.*))?"#,
      hints: ["package": text, "version": text], skipping: #"[│ ]+"#),
    LinePattern(
      "crate-tree",
      #"(?<crate>[├└│─ ]*[A-Za-z][\w-]*) v(?<version>\d\S*)(?: \((?<source>[^)*]+)\))?(?<repeated> \(\*\))?"#,
      hints: ["crate": text, "version": text], skipping: #"[│ ]*\[(?:build|dev)-dependencies\]"#, somewhere: "[├└].*"),
    LinePattern(
      "capabilities", #"(?<file>/\S*) (?:= )?(?<capabilities>cap_\S+)"#, hints: ["file": text, "capabilities": text]),
    LinePattern(
      "file-attributes", #"(?<attributes>(?=\S*--)[-acdeijmstuxACDEFINPSTVZ]{13,24}) (?<path>\S.*)"#,
      hints: ["attributes": text, "path": text]),
    LinePattern(
      "transfers",
      #"(?<change>[<>ch.][fdLDS](?:[.cstTpoguaxbn]{7,9}|\+{7,9})|\*deleting  +) (?<path>\S.*)"#,
      hints: ["change": text, "path": text],
      skipping: "sending incremental.*|receiving .*|building file list.*|total size is .*|sent \\d.*"),
    LinePattern(
      "archived-files",
      "(?<mode>\(mode)) +(?<owner>\\S+) +(?<group>\\S+) +(?<size>\\d+) (?:[A-Z][a-z]{2}, )?"
        + "(?<modified>\(day) \(clock)) (?<name>.+?)(?: -> (?<target>.+))?",
      hints: [
        "owner": text, "group": text, "size": ColumnHint(.bytes(1)), "modified": ColumnHint(.timestamp), "name": text,
        "target": text,
      ], skipping: "snapshot [0-9a-f]+ .*|repository .* opened.*"),
    LinePattern(
      "archives", "(?<archive>\\S+) +(?:[A-Z][a-z]{2}, )?(?<time>\(day) \(clock)) \\[(?<id>[0-9a-f]{16,64})\\]",
      hints: ["archive": text, "id": text, "time": ColumnHint(.timestamp)]),
    LinePattern(
      "sizes-and-times",
      " *(?<size>-?\\d+) (?<modified>\(day) \(clock)(?:\\.\\d+)?) +(?:(?<count>-?\\d+) )?(?<path>\\S.*)",
      hints: ["size": ColumnHint(.bytes(1)), "modified": ColumnHint(.timestamp), "path": text]),
    LinePattern(
      "ciphers",
      #" *(?:(?<id>0x[0-9A-F]{2}(?:,0x[0-9A-F]{2})+) +- +)?(?<cipher>[A-Z\d_-]+) +(?<protocol>\S+) +Kx=(?<key_exchange>\S+) +Au=(?<authentication>\S+) +Enc=(?<encryption>\S+) +Mac=(?<mac>\S+) *"#
    ),
  ]

  /// The patterns for logs that begin with brackets or without a date, and for traces.
  static let moreLogs: [LinePattern] = [
    LinePattern(
      "process-log",
      "\\[(?<pid>\\d+)\\] (?<time>\\d{4}[-/]\\d\\d[-/]\\d\\d[T ]\(clock)(?:[.,]\\d+)?) \\[(?<level>[A-Z]{3,8})\\] *(?<message>.*)",
      hints: ["level": ColumnHint(.badge), "time": ColumnHint(.timestamp), "pid": ColumnHint(.integer)],
      joinsLines: true),
    LinePattern(
      "postgres-log",
      "(?<time>\\d{4}-\\d\\d-\\d\\d \(clock)(?:\\.\\d+)? [A-Z]{2,5}|\\d{4}-\\d\\d-\\d\\d \(clock)(?:\\.\\d+)? [-+]\\d{2,4})"
        + " \\[(?<pid>\\d+)(?:-\\d+)?\\] (?:(?<user>[\\w.-]+)@(?<database>[\\w.-]+) )?"
        + "(?<level>LOG|ERROR|FATAL|PANIC|WARNING|NOTICE|INFO|DEBUG\\d?|STATEMENT|DETAIL|HINT|CONTEXT|QUERY|LOCATION): +(?<message>.*)",
      hints: ["level": ColumnHint(.badge), "pid": ColumnHint(.integer)], joinsLines: true),
    LinePattern(
      "jvm-log",
      #"\[(?<time>\d+[.,]\d+s|\d+ms|\d{4}-\d\d-\d\dT\S+)\](?:\[(?<pid>\d+)\])?\[(?<level>trace|debug|info|warning|error) *\](?:\[(?<tags>[\w,]+) *\])? ?(?<message>.*)"#,
      hints: ["level": ColumnHint(.badge), "message": text], joinsLines: true),
    LinePattern(
      "system-calls",
      #"(?:(?:\[pid +)?(?<pid>\d+)\]? +)?(?:(?<time>\d\d:\d\d:\d\d(?:\.\d+)?|\d+\.\d+) )?(?<call>[A-Za-z_][\w.>@-]*)\((?<arguments>.*)\) *= (?<result>(?:-?\d|\?|0x).*?)(?: <(?<duration>[\d.]+)>)?"#,
      hints: ["time": text, "arguments": text, "result": text, "duration": ColumnHint(.duration(1))],
      skipping: #"(?:\S+ )*(?:\+\+\+ .* \+\+\+|--- .* ---)"#),
    LinePattern(
      "http-server",
      #"(?<host>\S+) (?<ident>\S+) (?<user>\S+) \[(?<time>\d\d/[A-Z][a-z]{2}/\d{4} \d\d:\d\d:\d\d)\] (?:"(?:(?<method>[A-Z]+) (?<path>\S+)(?: (?<protocol>[^" ]+))?|(?<request>[^"]*))" (?<status>\d{3}) (?<size>\d+|-)|(?<message>[^"].*))"#,
      hints: ["ident": text, "user": text, "method": text, "status": ColumnHint(.integer, style: .badge)],
      skipping: "Serving HTTP on .*"),
    LinePattern(
      "cef",
      #"(?:(?<prefix>\S.*?) )?CEF:(?<format>\d+)\|(?<vendor>(?:[^|\\]|\\.)*)\|(?<product>(?:[^|\\]|\\.)*)\|(?<version>(?:[^|\\]|\\.)*)\|(?<id>(?:[^|\\]|\\.)*)\|(?<name>(?:[^|\\]|\\.)*)\|(?<severity>(?:[^|\\]|\\.)*)\|(?<fields>.*)"#,
      hints: ["version": text, "id": text, "severity": text, "fields": text]),
  ]

  /// The patterns for the state of the kernel and the network.
  static let moreState: [LinePattern] = [
    LinePattern(
      "arp",
      #"(?<host>\S+) \((?<address>[^)]+)\) at (?<mac>[0-9a-f:]+|<incomplete>|\(incomplete\))(?: \[(?<type>\w+)\])?(?: (?<flags>PERM|PUB))? on (?<interface>\S+)(?: (?<rest>.*))?"#,
      hints: ["mac": text]),
    LinePattern(
      "iptables-counters",
      #" *(?:(?<num>\d+) +)?(?<pkts>\d+[KMGT]?) +(?<bytes>\d+[KMGT]?) +(?<target>[A-Za-z][\w.-]*)? +(?<prot>[a-z0-9-]+) +(?<opt>--|-f|!f) +(?<in>\S+) +(?<out>\S+) +(?<source>\S+) +(?<destination>\S+)(?: +(?<options>\S.*?))? *"#,
      hints: ruleHints, skipping: #" *(?:num +)?pkts +bytes +target +prot .*"#, heading: "chain", startsWith: chain,
      titled: chain),
    LinePattern(
      "iptables",
      #" *(?:(?<num>\d+) +)?(?<target>[A-Za-z][\w.-]*)? +(?<prot>[a-z0-9-]+) +(?<opt>--|-f|!f) +(?<source>\S+) +(?<destination>\S+)(?: +(?<options>\S.*?))? *"#,
      hints: ruleHints, skipping: #" *(?:num +)?target +prot .*"#, heading: "chain", startsWith: chain, titled: chain),
    LinePattern(
      "traceroute-addresses", #" *(?<hop>\d+)  (?:(?<address>[0-9a-f.:]+)  |(?=\*))(?<times>[\d*].*)"#,
      skipping: "traceroute6? to .*", startsWith: "traceroute6? to .*"),
    LinePattern(
      "tracepath",
      #" *(?<hop>\d+)\??: +(?<host>\S+|no reply)(?: +(?<time>[\d.]+ ?ms))?(?: +(?<notes>\S.*?))? *"#,
      hints: ["time": ColumnHint(.duration(1e-3))], skipping: " +Resume: .*|Too many hops: .*",
      startsWith: #" *\d+\??: +\S.*(?:pmtu \d+|\d ?ms).*"#),
    LinePattern(
      "address-lookups", #"(?<address>[0-9a-f.:]+) +(?<socket>STREAM|DGRAM|RAW)(?: +(?<name>\S+))? *"#),
    LinePattern(
      "ip-rules", #"(?<priority>\d+):\t(?<selector>(?:not )?from .*?) (?:lookup (?<table>\S+)|(?<action>\S+)) *"#),
    LinePattern(
      "process-maps",
      #"(?<address>[0-9a-f]{6,16}-[0-9a-f]{6,16}) (?<mode>[-r][-w][-x][ps]) (?<offset>[0-9a-f]{8,16}) (?<device>[0-9a-f]+:[0-9a-f]+) (?<inode>\d+) *(?<path>.*)"#,
      hints: ["address": text, "offset": text, "device": text, "path": text]),
    LinePattern(
      "mount-info",
      #"(?<id>\d+) (?<parent>\d+) (?<device>\d+:\d+) (?<root>\S+) (?<mounted_on>\S+) (?<options>\S+)(?: (?<tags>\w+:\d+(?: \w+:\d+)*))? - (?<type>\S+) (?<source>\S+) (?<super_options>\S+)"#,
      hints: ["device": text]),
    LinePattern(
      "slabs",
      #"(?<name>\S+) +(?<active>\d+) +(?<objects>\d+) +(?<object_size>\d+) +(?<per_slab>\d+) +(?<pages_per_slab>\d+) : tunables +(?<limit>\d+) +(?<batch>\d+) +(?<shared>\d+) : slabdata +(?<active_slabs>\d+) +(?<slabs>\d+) +(?<shared_free>\d+) *"#,
      hints: ["name": text], skipping: "slabinfo - .*|# *name .*"),
    LinePattern(
      "file-locks",
      #"(?<number>\d+): (?:-> )?(?<type>[A-Z]+) +(?<kind>\S+) +(?<access>READ|WRITE|RW|NONE|UNLCK) +(?<pid>-?\d+) (?<file>\S+) (?<start>\d+) (?<end>\S+)"#,
      hints: ["file": text, "end": text]),
    LinePattern(
      "address-ranges", #"(?<range> *[0-9a-f]{4,16}-[0-9a-f]{4,16}) : (?<use>.*)"#,
      hints: ["range": text, "use": text]),
  ]
}
