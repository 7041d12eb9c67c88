extension RecordPattern {
  private static let badge = ["state": ColumnHint(.badge)]

  private static let hexadecimal = [
    "address": ColumnHint(.text), "offset": ColumnHint(.text), "size": ColumnHint(.text), "vma": ColumnHint(.text),
    "lma": ColumnHint(.text), "entry_size": ColumnHint(.text),
  ]

  /// The patterns for the output of common programs, specific ones first.
  static let readyMade: [RecordPattern] = [
    RecordPattern(
      "ip-address",
      #"(?<number>\d+): (?<interface>[^:@\s]+)(?:@(?<parent>[^:\s]+))?: <(?<flags>[^>]*)> mtu (?<mtu>\d+)(?: qdisc (?<qdisc>\S+))?(?: master (?<master>\S+))?(?: state (?<state>\S+))?.*"#,
      parts: [
        #"\s+link/(?<type>\S+)(?: (?<mac>\S+).*)?"#, #"\s+inet (?<ipv4>\S+).*"#, #"\s+inet6 (?<ipv6>\S+).*"#,
        #"\s+altname (?<altname>\S+).*"#, #"\s+valid_lft .*"#,
      ], heading: #"\s+(?<prefix>[RT]X(?: errors)?): +(?<names>\S.*)"#, rest: "details",
      hints: badge.merging(["rx_bytes": ColumnHint(.bytes(1)), "tx_bytes": ColumnHint(.bytes(1))]) { $1 }),
    RecordPattern(
      "ifconfig", #"(?<interface>[^\s:]+): flags=[0-9a-f]+<(?<flags>[^>]*)>\s+(?:metric \d+ )?mtu (?<mtu>\d+).*"#,
      parts: [
        #"\s+inet (?<ipv4>\S+)(?:\s+netmask (?<netmask>\S+))?(?:\s+broadcast (?<broadcast>\S+))?.*"#,
        #"\s+inet6 (?<ipv6>\S+).*"#, #"\s+ether (?<mac>\S+).*"#,
        #"\s+RX packets (?<rx_packets>\d+)\s+bytes (?<rx_bytes>\d+).*"#,
        #"\s+RX errors (?<rx_errors>\d+)\s+dropped (?<rx_dropped>\d+)\s+overruns (?<rx_overruns>\d+)\s+frame (?<rx_frame>\d+)"#,
        #"\s+TX packets (?<tx_packets>\d+)\s+bytes (?<tx_bytes>\d+).*"#,
        #"\s+TX errors (?<tx_errors>\d+)\s+dropped (?<tx_dropped>\d+)\s+overruns (?<tx_overruns>\d+)\s+carrier (?<tx_carrier>\d+)\s+collisions (?<collisions>\d+)"#,
      ], rest: "details",
      hints: ["rx_bytes": ColumnHint(.bytes(1)), "tx_bytes": ColumnHint(.bytes(1))],
      skipping: "Kernel Interface table"),
    RecordPattern(
      "apt-search",
      #"(?<package>[a-z0-9][a-z0-9+.-]*)/(?<suite>\S+) (?<version>\S+) (?<architecture>\S+)(?: \[(?<status>[^\]]+)\])?"#,
      parts: [#"  (?<description>\S.*)"#], hints: ["version": ColumnHint(.text)],
      skipping: #"Sorting\.\.\..*|Full Text Search\.\.\..*|WARNING: apt .*"#),
    RecordPattern(
      "apt-policy", #"(?<package>[a-z0-9][a-z0-9+.-]*(?::[a-z0-9]+)?):"#,
      parts: [
        #"  Installed: (?<installed>.*)"#, #"  Candidate: (?<candidate>.*)"#, #"  Version table:"#,
        #"  Package pin: (?<pin>.*)"#,
      ], rest: "versions", hints: ["installed": ColumnHint(.text), "candidate": ColumnHint(.text)]),
    RecordPattern(
      "git-log", #"(?:[*|\\/ ]+)?commit (?<commit>[0-9a-f]{7,64})(?: \((?<refs>[^)]*)\))?"#,
      parts: [
        #"Merge: (?<merge>.*)"#, #"Author: +(?<author>.*)"#, #"(?:Author)?Date: +(?<date>.*)"#,
        #"Commit: +(?<committer>.*)"#, #"CommitDate: +(?<committed>.*)"#, #"    (?<message>.*)"#,
      ], rest: "changes", hints: ["commit": ColumnHint(.text), "message": ColumnHint(.text)]),
    RecordPattern(
      "git-stat", #"(?<commit>[0-9a-f]{7,40}) (?:\((?<refs>[^)]*)\) )?(?<subject>\S.*)"#,
      parts: [#" (?<changes>\S.*)"#],
      hints: ["commit": ColumnHint(.text), "subject": ColumnHint(.text), "changes": ColumnHint(.text)]),
    RecordPattern(
      "pci-devices",
      #"(?<slot>(?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-9a-f]) (?<class>[^:]+): (?<device>.*)"#,
      hasProperties: true, rest: "details", hints: ["slot": ColumnHint(.text)]),
    RecordPattern(
      "dmidecode", #"Handle (?<handle>0x[0-9A-F]+), DMI type (?<type>\d+), \d+ bytes"#,
      parts: [#"(?<title>[A-Z]\S*(?: \S+)*)"#], hasProperties: true, rest: "details",
      hints: ["handle": ColumnHint(.text)],
      skipping: #"#.*|Getting SMBIOS .*|SMBIOS .*|\d+ structures .*|Table at .*"#),
    RecordPattern(
      "elf-sections",
      #"  \[ *(?<number>\d+)\] (?<name>\S*) +(?<type>[A-Z_]\w*) +(?<address>[0-9a-f]{8,16}) +(?<offset>[0-9a-f]{6,8})(?: +(?<size>[0-9a-f]{6}) +(?<entry_size>[0-9a-f]{2}) +(?<flags>[A-Zxoplo ]*?) +(?<link>\d+) +(?<info>\d+) +(?<alignment>\d+))?"#,
      parts: [
        #" {7}(?<size>[0-9a-f]{16})  (?<entry_size>[0-9a-f]{16}) (?<flags>[A-Zxoplo ]*?) +(?<link>\d+) +(?<info>\d+) +(?<alignment>\d+)"#
      ], hints: hexadecimal,
      skipping:
        #"There are \d+ section headers.*|Section Headers:|  \[Nr\] Name .*|       Size .*|Key to Flags:|  [A-Zxol] \(.*"#
    ),
    RecordPattern(
      "elf-segments",
      #"  (?<type>[A-Z_]+) +(?<offset>0x[0-9a-f]+) (?<virtual_address>0x[0-9a-f]+) (?<physical_address>0x[0-9a-f]+)"#,
      parts: [
        #" +(?<file_size>0x[0-9a-f]+) (?<memory_size>0x[0-9a-f]+)  (?<flags>[RWE ]{3}) +(?<alignment>0x[0-9a-f]+)"#,
        #" +\[Requesting program interpreter: (?<interpreter>.*)\]"#,
      ],
      skipping:
        #"Elf file type is .*|Entry point .*|There are \d+ program headers.*|Program Headers:|  Type  .*|                 FileSiz .*| Section to Segment mapping:|  Segment Sections\.\.\.|   \d\d .*"#
    ),
    RecordPattern(
      "object-sections",
      #" +(?<index>\d+) (?<name>\S+) +(?<size>[0-9a-f]{8}) +(?<vma>[0-9a-f]{8,16}) +(?<lma>[0-9a-f]{8,16}) +(?<offset>[0-9a-f]{8}) +(?<alignment>2\*\*\d+)"#,
      parts: [#" +(?<flags>[A-Z_]+(?:, [A-Z_]+)*)"#], hints: hexadecimal,
      skipping: #"\S+: +file format .*|Sections:|Idx Name .*"#),
    RecordPattern(
      "file-status", #"  File: (?<file>.*?)(?: -> (?<target>.*))?"#,
      parts: [
        #"  Size: (?<size>\d+)\s+Blocks: (?<blocks>\d+)\s+IO Block: (?<io_block>\d+)\s+(?<type>.*)"#,
        #"Device: (?<device>\S+)\s+Inode: (?<inode>\d+)\s+Links: (?<links>\d+)(?:\s+Device type: (?<device_type>\S+))?"#,
        #"Access: \((?<mode>[^)]*)\)\s+Uid: \(\s*(?<uid>\d+)/\s*(?<user>\S+)\)\s+Gid: \(\s*(?<gid>\d+)/\s*(?<group>\S+)\)"#,
        "Context: (?<context>.*)", "Access: (?<accessed>.*)", "Modify: (?<modified>.*)", "Change: (?<changed>.*)",
        " Birth: (?<created>.*)",
      ], hints: ["size": ColumnHint(.bytes(1)), "file": ColumnHint(.text)]),
    RecordPattern(
      "memory-maps",
      #"(?<address>[0-9a-f]{6,16}-[0-9a-f]{6,16}) (?<mode>[-r][-w][-x][ps]) (?<offset>[0-9a-f]{8,16}) (?<device>[0-9a-f]+:[0-9a-f]+) (?<inode>\d+) *(?<path>.*)"#,
      hasProperties: true,
      hints: hexadecimal.merging(["device": ColumnHint(.text), "path": ColumnHint(.text)]) { $1 }),
    RecordPattern(
      "alternatives", #"(?<alternative>/\S*) - priority (?<priority>\d+)"#, parts: [#"  (?<slaves>slave .*)"#],
      hints: ["alternative": ColumnHint(.text)],
      skipping: #"\S+ - (?:auto|manual) mode|  link .*|  slave \S+ is .*"#),
    RecordPattern(
      "unit-status", #"[●○×↻*x] (?<unit>\S+\.\w+)(?: - (?<description>.*))?"#,
      parts: [#"(?<log>[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d .*)"#], hasProperties: true, rest: "details"),
  ]

  /// Returns a ready-made pattern.
  static func named(_ name: String) -> RecordPattern? { readyMade.first { $0.name == name } }
}
