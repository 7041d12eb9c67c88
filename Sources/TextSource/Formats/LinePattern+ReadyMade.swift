extension LinePattern {
  private static let stamp =
    #"\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z| ?[-+]\d\d:?\d\d)?|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d"#
  private static let level =
    "TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|ERR|CRIT|CRITICAL|ALERT|EMERG|FATAL|SEVERE|trace|debug|info|notice|warn|warning|error|err|crit|critical|alert|emerg|fatal"
  private static let request =
    #"(?<host>\S+) (?<ident>\S+) (?<user>\S+) \[(?<time>[^\]]+)\] "(?:(?<method>[A-Z]+) (?<path>\S+)(?: (?<protocol>[^" ]+))?|(?<request>(?:[^"\\]|\\.)*))" (?<status>\d{3}) (?<size>\d+|-)"#
  private static let requestHints: [String: ColumnHint] = [
    "size": ColumnHint(.bytes(1)), "status": ColumnHint(.integer, style: .badge), "time": ColumnHint(.timestamp),
    "method": ColumnHint(.text), "ident": ColumnHint(.text), "user": ColumnHint(.text),
  ]
  private static let mode = #"[-bcdlpsD][-rwxsStT]{9}[.+@]?"#
  private static let listDate =
    #" ?\d{1,2}\. \p{L}{3,5}\.? +(?:\d\d:\d\d|\d{4})|\p{L}{3,5}\.? +\d{1,2} +(?:\d\d:\d\d|\d{4})|[A-Z][a-z]{2} [ \d]\d (?:\d\d:\d\d| \d{4})|\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?(?: ?[-+]\d{4}|Z)?)?)?"#
  private static let listed =
    #"(?<mode>"# + mode
    + #")\s+(?<links>\d+) +(?<owner>\S+) +(?<group>\S+) +(?:(?<context>\?|\w+:\w+:\S+) +)?(?:(?<device>\d+, +\d+)|(?<size>[\d.,]+[KMGTPE]?)) +(?<modified>"#
    + listDate + #") (?<name>.+?)(?: -> (?<target>.+))?"#
  private static let listSum = #"(?:total|insgesamt|итого|合計|总计|totalt|totale) [\d.,]+[KMGT]?"#
  private static let listHints: [String: ColumnHint] = [
    "blocks": ColumnHint(.bytes(1024)), "size": ColumnHint(.bytes(1)), "name": ColumnHint(.text),
    "target": ColumnHint(.text), "owner": ColumnHint(.text), "group": ColumnHint(.text), "device": ColumnHint(.text),
  ]
  private static let counter = #"\s+\d+"#

  private static func columns(_ names: String, _ value: String) -> String {
    names.split(separator: " ").map { "(?<\($0)>\(value))" }.joined(separator: #"\s+"#)
  }

  /// The patterns for the output of common programs, specific ones first.
  static let readyMade = diagnostics + listings + moreLogs + moreState + network + systems + common

  private static let diagnostics = [
    LinePattern(
      "diagnostics",
      #"(?<file>[^\s:]+):(?<line>\d+):(?:(?<column>\d+):)? (?:fatal )?(?<severity>error|warning|note|info|hint): (?<message>.*)"#,
      hints: ["severity": ColumnHint(.badge)], joinsLines: true)
  ]

  private static let common: [LinePattern] = [
    LinePattern(
      "combined", request + #" "(?<referer>(?:[^"\\]|\\.)*)" "(?<agent>(?:[^"\\]|\\.)*)"(?: (?<rest>.*))?"#,
      hints: requestHints),
    LinePattern("common", request, hints: requestHints),
    LinePattern(
      "nginx-error",
      #"(?<time>\d{4}/\d\d/\d\d \d\d:\d\d:\d\d) \[(?<level>[a-z]+)\] (?<pid>\d+)#(?<thread>\d+): (?:\*(?<connection>\d+) )?(?<message>.*)"#,
      hints: ["level": ColumnHint(.badge), "time": ColumnHint(.timestamp)], joinsLines: true),
    LinePattern(
      "apache-error",
      #"\[(?<time>[A-Z][a-z]{2} [A-Z][a-z]{2} \d\d \d\d:\d\d:\d\d(?:\.\d+)? \d{4})\] \[(?<module>[^:\]]*):?(?<level>[a-z]+)\] (?:\[pid (?<pid>\d+)[^\]]*\] )?(?:\[client (?<client>[^\]]+)\] )?(?<message>.*)"#,
      hints: ["level": ColumnHint(.badge), "time": ColumnHint(.timestamp)], joinsLines: true),
    LinePattern(
      "syslog-5424",
      #"<(?<priority>\d+)>1 (?<time>\S+) (?<host>\S+) (?<program>\S+) (?<pid>\S+) (?<id>\S+) (?<data>-|(?:\[(?:[^\]\\]|\\.)*\])+) ?(?<message>.*)"#,
      joinsLines: true),
    LinePattern(
      "syslog",
      #"(?:<(?<priority>\d+)>)?(?<time>[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?:\.\d+)?|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[-+]\d\d:?\d\d)) (?<host>[\w.:-]+) (?<program>[^\s:\[\]]+(?: [^\s:\[\]]+)?)(?:\[(?<pid>\d+)\])?: ?(?<message>.*)"#,
      hints: ["time": ColumnHint(.timestamp), "pid": ColumnHint(.integer)], skipping: "-- .* --", joinsLines: true),
    LinePattern(
      "dmesg",
      #"(?:<\d+>|(?<facility>[a-z]+\d?) *:(?<level>[a-z]+) *: )?\[ *(?<time>\d+\.\d{6})\] (?:(?<source>[A-Za-z][\w .:/@-]{0,40}?): )?(?<message>.*)"#,
      hints: ["time": ColumnHint(.duration(1)), "source": ColumnHint(.text), "level": ColumnHint(.badge)],
      joinsLines: true),
    LinePattern(
      "dmesg-changes",
      #"\[(?<time> *[+<] *\d+\.\d{6}>?|[A-Z][a-z]{2} ?\d+ \d\d:\d\d)\] (?:(?<source>[A-Za-z][\w .:/@-]{0,40}?): )?(?<message>.*)"#,
      hints: ["time": ColumnHint(.text), "source": ColumnHint(.text)], joinsLines: true),
    LinePattern(
      "dmesg-time",
      #"\[(?<time>[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4})\] (?:(?<source>[A-Za-z][\w .:/@-]{0,40}?): )?(?<message>.*)"#,
      hints: ["time": ColumnHint(.timestamp), "source": ColumnHint(.text)], joinsLines: true),
    LinePattern(
      "python-log", "(?<time>\(stamp)) - (?<logger>\\S+) - (?<level>\(level)) - (?<message>.*)",
      hints: ["level": ColumnHint(.badge)], joinsLines: true),
    LinePattern(
      "log",
      #"\[?(?<time>"# + stamp + #")\]?[ |:-]*(?:\[(?<thread>[^\]]{1,60})\] ?)?[\[(]?(?<level>"# + level
        + #")[\])]?:?(?: +|$)(?:\[(?<context>[^\]]{1,60})\] )?(?<message>.*)"#,
      hints: ["level": ColumnHint(.badge)], joinsLines: true),
    LinePattern(
      "dpkg-log",
      #"(?<time>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) (?<action>startup|install|upgrade|configure|trigproc|status|remove|purge|conffile) (?<object>.+)"#
    ),
    LinePattern(
      "s3-ls", #"(?<modified>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) +(?<size>\d+|PRE) (?<name>.+)"#,
      hints: ["size": ColumnHint(.bytes(1)), "name": ColumnHint(.text)]),
    LinePattern("timestamps", #"\[?(?<time>"# + stamp + #")\]?:? +(?<message>\S.*)"#, joinsLines: true),
    // Disks allocate blocks of 4 KiB or more; other numbers in front are those of inodes.
    LinePattern(
      "ls-blocks", #" *(?<blocks>[048]|\d*(?:[02468][048]|[13579][26])) "# + listed, hints: listHints,
      skipping: listSum, heading: "directory"),
    LinePattern(
      "ls", #"(?: *(?<inode>\d+) +)?"# + listed, hints: listHints, skipping: listSum, heading: "directory"),
    LinePattern(
      "tar-list",
      #"(?<mode>"# + mode
        + #") +(?<owner>[^\s/]+)/(?<group>\S+) +(?:(?<device>\d+,\d+)|(?<size>\d+)) (?<modified>\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d)?) (?<name>.+?)(?: -> (?<target>.+)| link to (?<link>.+))?"#,
      hints: [
        "size": ColumnHint(.bytes(1)), "modified": ColumnHint(.timestamp), "name": ColumnHint(.text),
        "target": ColumnHint(.text), "owner": ColumnHint(.text), "group": ColumnHint(.text),
      ]),
    LinePattern(
      "zipinfo",
      #"(?<mode>[-bcdlps?][-rwxsStT]{9}) +(?<version>[\d.]+) (?<system>\S+) +(?<size>\d+) (?<kind>\S+) (?:(?<compressed>\d+) )?(?<method>\S+) (?<modified>\d\d-[A-Z][a-z]{2}-\d\d \d\d:\d\d) (?<name>.+)"#,
      hints: ["size": ColumnHint(.bytes(1)), "name": ColumnHint(.text), "version": ColumnHint(.text)],
      skipping: #"Archive: .*|Zip file size: .*|\d+ files?, .*"#),
    LinePattern(
      "find-ls",
      #" *(?<inode>\d+) +(?<blocks>\d+) +(?<mode>"# + mode
        + #") +(?<links>\d+) +(?<owner>\S+) +(?<group>\S+) +(?:(?<device>\d+, +\d+)|(?<size>\d+)) +(?<modified>"#
        + listDate + #") (?<path>.+?)(?: -> (?<target>.+))?"#,
      hints: [
        "size": ColumnHint(.bytes(1)), "modified": ColumnHint(.timestamp), "blocks": ColumnHint(.bytes(1024)),
        "path": ColumnHint(.text), "target": ColumnHint(.text), "owner": ColumnHint(.text), "group": ColumnHint(.text),
        "device": ColumnHint(.text),
      ]),
    LinePattern("mount", #"(?<device>.+) on (?<mounted_on>/.*) type (?<type>\S+) \((?<options>.*)\)"#),
    LinePattern(
      "proc-mounts", #"(?<device>\S+) (?<mounted_on>/\S*) (?<type>\S+) (?<options>\S+) (?<dump>\d) (?<pass>\d)"#),
    LinePattern(
      "fstab",
      #"(?<device>\S+)\s+(?<mounted_on>/\S*|none|swap)\s+(?<type>\S+)\s+(?<options>\S+)(?:\s+(?<dump>\d))?(?:\s+(?<pass>\d))?(?:\s+#.*)?\s*"#,
      skipping: "#.*"),
    LinePattern(
      "passwd",
      #"(?<user>[^:\s]+):(?<password>[^:]*):(?<uid>-?\d+):(?<gid>-?\d+):(?<comment>[^:]*):(?<home>[^:]*):(?<shell>[^:]*)"#,
      skipping: "#.*"),
    LinePattern(
      "group", #"(?<group>[^:\s/]+):(?<password>[x*!]*):(?<gid>-?\d+):(?<members>[\w.,$@-]*)"#, skipping: "#.*"),
    LinePattern(
      "git-blame",
      #"\^?(?<commit>[0-9a-f]{7,40}) (?:(?<file>\S+) +)?\((?<author>.+?) +(?<date>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [-+]\d{4}) +(?<line>\d+)\) ?(?<text>.*)"#,
      hints: ["commit": ColumnHint(.text), "text": ColumnHint(.text), "line": ColumnHint(.integer)]),
    LinePattern(
      "git-oneline",
      #"(?:[*|\\/ ]+)?(?<commit>(?!\d+ \d)[0-9a-f]{7,12}|[0-9a-f]{40}) (?:\((?<refs>[^)]+)\) )?(?<subject>(?![|]|[0-9a-f]{8}(?: |$)|.* {3}|(?:blob|tree|commit|tag) \d+$)\S.*)"#,
      hints: ["commit": ColumnHint(.text)]),
    LinePattern(
      "checksums", #"\\?(?<checksum>[0-9a-f]{32,128}) [ *](?<file>.+)"#,
      hints: ["checksum": ColumnHint(.text), "file": ColumnHint(.text)]),
    LinePattern(
      "apt",
      #"(?<package>[a-z0-9][a-z0-9+.-]*)/(?<suite>\S+) (?<version>\S+) (?<architecture>\S+)(?: \[(?<status>[^\]]+)\])?"#,
      hints: ["version": ColumnHint(.text)], skipping: #"Listing\.\.\..*|WARNING: apt .*"#),
    LinePattern(
      "who",
      #"(?<user>\S+) +(?:[-+?] +)?(?<line>\S+) +(?<time>\d{4}-\d\d-\d\d \d\d:\d\d|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d)(?: +(?<idle>\d\d:\d\d|\.|old) +(?<pid>\d+))?(?: +\((?<from>[^)]*)\))?\s*"#,
      hints: ["line": ColumnHint(.text)]),
    LinePattern(
      "last",
      #"(?<user>boot time|shutdown time|\S+) +(?:(?<line>system boot|\S+) +)?(?:(?<from>\S+) +)?(?<login>[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d(?::\d\d \d{4})?)(?: +-? *(?<logout>.+?))?(?: +\((?<duration>[\d:+]+)\))?\s*"#,
      hints: [
        "login": ColumnHint(.timestamp), "line": ColumnHint(.text), "from": ColumnHint(.text),
        "logout": ColumnHint(.text), "duration": ColumnHint(.text),
      ], skipping: #"[\w.]+ begins .*"#),
    LinePattern(
      "ip-brief",
      #"(?<interface>\S+) +(?<state>UP|DOWN|UNKNOWN|LOWERLAYERDOWN|DORMANT|NOTPRESENT|TESTING)(?: +(?<addresses>.*?))?\s*"#,
      hints: ["state": ColumnHint(.badge)]),
    LinePattern(
      "ping",
      #"(?<size>\d+) bytes from (?<host>.+?): icmp_seq=(?<sequence>\d+) ttl=(?<ttl>\d+) time=(?<time>[\d.]+ ?ms)"#,
      hints: ["size": ColumnHint(.bytes(1)), "time": ColumnHint(.duration(1e-3))],
      skipping: #"PATTERN: .*|PING .*|---.*|\d+ packets.*|rtt .*"#),
    LinePattern(
      "lspci", #"(?<slot>(?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-9a-f]) (?<class>[^:]+): (?<device>.*)"#,
      hints: ["slot": ColumnHint(.text)]),
    LinePattern(
      "lsusb", #"Bus (?<bus>\d+) Device (?<device>\d+): ID (?<id>[0-9a-f]{4}:[0-9a-f]{4}) ?(?<name>.*)"#,
      hints: ["id": ColumnHint(.text)]),
    LinePattern(
      "proc-net-dev",
      #"\s*(?<interface>[^\s:]+): *"#
        + columns(
          "received packets errors dropped fifo frame compressed multicast sent sent_packets sent_errors sent_dropped sent_fifo collisions carrier sent_compressed",
          #"\d+"#),
      hints: ["received": ColumnHint(.bytes(1)), "sent": ColumnHint(.bytes(1))], skipping: #"Inter-\|.*|\s*face \|.*"#),
    LinePattern(
      "diskstats",
      #"\s*"# + columns("major minor", #"\d+"#) + #" (?<device>\S+) "#
        + columns(
          "reads reads_merged sectors_read ms_reading writes writes_merged sectors_written ms_writing in_progress ms_busy ms_weighted",
          #"\d+"#)
        + #"(?:\s+(?<discards>\d+)\s+(?<discards_merged>\d+)\s+(?<sectors_discarded>\d+)\s+(?<ms_discarding>\d+))?(?:\s+(?<flushes>\d+)\s+(?<ms_flushing>\d+))?\s*"#,
      hints: [
        "device": ColumnHint(.text), "ms_reading": ColumnHint(.duration(1e-3)),
        "ms_writing": ColumnHint(.duration(1e-3)), "ms_busy": ColumnHint(.duration(1e-3)),
        "ms_weighted": ColumnHint(.duration(1e-3)), "ms_discarding": ColumnHint(.duration(1e-3)),
        "ms_flushing": ColumnHint(.duration(1e-3)),
      ]),
    LinePattern(
      "crontab",
      #"(?:(?<when>@\w+)|(?<minute>[\d*/,-]+)\s+(?<hour>[\d*/,-]+)\s+(?<day>[\d*/,LW?-]+)\s+(?<month>[\w*/,-]+)\s+(?<weekday>[\w*/,-]+))\s+(?:(?<user>root|www-data|nobody)\s+)?(?<command>[^\s\d].*)"#,
      hints: [
        "minute": ColumnHint(.text), "hour": ColumnHint(.text), "day": ColumnHint(.text), "month": ColumnHint(.text),
        "weekday": ColumnHint(.text),
      ], skipping: #"#.*|[A-Z_]+ ?=.*"#),
    LinePattern(
      "ip-neigh",
      #"(?<address>\S+) dev (?<interface>\S+)(?: lladdr (?<mac>\S+))?(?: +(?<flags>router|proxy|extern_learn))? +(?<state>[A-Z]+) *"#,
      hints: ["state": ColumnHint(.badge)]),
    LinePattern(
      "ip-route",
      #"(?:(?<type>unicast|local|broadcast|multicast|anycast|unreachable|prohibit|blackhole|throw) )?(?<destination>default|[\d.]+(?:/\d+)?|[0-9a-f:]+:[0-9a-f:]*(?:/\d+)?)(?: via (?<gateway>\S+))?(?: dev (?<interface>\S+))(?: table (?<table>\S+))?(?: proto (?<protocol>\S+))?(?: scope (?<scope>\S+))?(?: src (?<source>\S+))?(?: metric (?<metric>\d+))?(?: (?<rest>.*?))? *"#,
      hints: ["destination": ColumnHint(.text)]),
    LinePattern(
      "git-branch",
      #"(?<current>[*+ ]) (?<branch>\S+) +(?<commit>[0-9a-f]{7,40}) (?:\[(?<upstream>[^\]]+)\] )?(?<subject>.*)"#,
      hints: ["commit": ColumnHint(.text)]),
    LinePattern(
      "hosts",
      #"(?<address>\d+\.\d+\.\d+\.\d+|[0-9a-f:]*::[0-9a-f:]*|(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4})\s+(?<names>[\w.-]*[A-Za-z][\w.-]*(?:\s+[\w.-]*[A-Za-z][\w.-]*)*)(?:\s*#.*|\s*)"#,
      skipping: "#.*"),
    LinePattern(
      "services",
      #"(?<service>[\w.+-]+)\s+(?<port>\d+)/(?<protocol>tcp|udp|sctp|dccp)(?:\s+(?<aliases>[^#\s][^#]*?))?\s*(?:#\s*(?<comment>.*))?"#,
      skipping: "#.*"),
    LinePattern(
      "wc", #"\s*(?<lines>\d+)\s+(?<words>\d+)\s+(?<bytes>\d+)\s+(?<file>\D.*)"#,
      hints: [
        "bytes": ColumnHint(.bytes(1)), "lines": ColumnHint(.number), "words": ColumnHint(.number),
        "file": ColumnHint(.text),
      ]),
    // Disks allocate blocks of 4 KiB or more; other numbers are bytes or have a unit of their own.
    LinePattern(
      "du", #"(?<size>[\d.]+[KMGTPE]|[048]|\d*(?:[02468][048]|[13579][26]))\t(?<path>[^\t]*[^\t\d.][^\t]*|\.)"#,
      hints: ["size": ColumnHint(.bytes(1024)), "path": ColumnHint(.text)]),
    LinePattern(
      "du-units", #"(?<size>\d+)\t(?<path>[./][^\t]*)"#,
      hints: ["size": ColumnHint(.number), "path": ColumnHint(.text)]),
    LinePattern(
      "traceroute", #" *(?<hop>\d+)  (?:(?<host>\S+) \((?<address>[^)]+)\) |\* )(?<times>.*)"#,
      skipping: "traceroute to .*"),
    LinePattern(
      "dns", #"(?<name>\S+)\s+(?<ttl>\d+)\s+(?<class>IN|CH|HS)\s+(?<type>[A-Z0-9]+)\s+(?<data>.*)"#,
      hints: ["data": ColumnHint(.text)], skipping: ";.*"),
    LinePattern(
      "ldd", #"\t(?<library>\S+)(?: => (?<path>\S+|not found))?(?: \((?<address>0x[0-9a-f]+)\))?"#,
      hints: ["address": ColumnHint(.text)]),
    LinePattern(
      "library-cache", #"\t(?<library>\S+) \((?<flags>[^)]*)\) => (?<path>\S+)"#,
      skipping: "\\d+ libs found in cache .*|Cache generated by: .*"),
    LinePattern(
      "symbols",
      #"(?<address>[0-9a-f]{8,16}| {8,16}) (?:(?<size>[0-9a-f]{8,16}) )?(?<type>[A-Za-z?-]) (?<symbol>\S.*)"#,
      hints: ["address": ColumnHint(.text), "size": ColumnHint(.text), "type": ColumnHint(.text)]),
    LinePattern(
      "chrony-sources",
      #"(?<mode>[\^=#])(?<state>[*+\-?x~ ]) (?<source>\S+) +(?<stratum>\d+) +(?<poll>\d+) +(?<reach>\d+) +(?<last_rx>\S+) +(?<offset>[-+]?\d+[num]?s)\[ *(?<measured>[-+]?\d+[num]?s)\] +\+/- +(?<error>\d+[num]?s)"#,
      hints: ["reach": ColumnHint(.text), "last_rx": ColumnHint(.text)],
      skipping: "MS Name/IP address .*|=+|\\d+ Number of sources.*"),
    LinePattern(
      "iotop",
      #" *(?<tid>\d+) +(?<priority>\S+) +(?<user>\S+) +(?<read>[\d.]+ [KMG]?B?/s) +(?<write>[\d.]+ [KMG]?B?/s) +(?:(?<swapin>[\d.]+) % +)?(?<io>[\d.]+) % +(?<command>.*)"#,
      skipping: "(?:Total|Current|Actual) DISK .*| +[PT]ID  PRIO .*"),
    LinePattern(
      "uptime",
      #" *(?<time>\d\d:\d\d:\d\d) up +(?<uptime>.+?), +(?<users>\d+) users?, +load average: (?<load_1>[\d.]+), (?<load_5>[\d.]+), (?<load_15>[\d.]+)"#,
      hints: ["time": ColumnHint(.text), "uptime": ColumnHint(.text)]),
    LinePattern(
      "at-jobs",
      #"(?<job>\d+)\t(?<time>[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}) (?<queue>\S) (?<user>\S+)"#),
    LinePattern(
      "mtr",
      #" *(?<hop>\d+)\.\|-- +(?<host>\S+) +(?<loss>[\d.]+)%? +(?<sent>\d+) +(?<last>[\d.]+) +(?<average>[\d.]+) +(?<best>[\d.]+) +(?<worst>[\d.]+) +(?<deviation>[\d.]+) *"#,
      hints: [
        "loss": ColumnHint(.percent), "last": ColumnHint(.duration(1e-3)), "average": ColumnHint(.duration(1e-3)),
        "best": ColumnHint(.duration(1e-3)), "worst": ColumnHint(.duration(1e-3)),
        "deviation": ColumnHint(.duration(1e-3)),
      ], skipping: "Start: .*|HOST: .*"),
    LinePattern(
      "limits", #"(?<limit>[A-Za-z][A-Za-z -]*?) +\((?:(?<unit>[^,)]+), )?-(?<option>\w)\) (?<value>\S+)"#,
      hints: ["value": ColumnHint(.text)]),
    LinePattern(
      "perf-stat",
      #" +(?<value>[\d.,]+|<not (?:supported|counted)>) (?: *(?<unit>msec|Joules|C|MiB|ns) )? *(?<event>[A-Za-z][\w:./=,-]*)(?: +# +(?<rate>.*?))?(?: +\((?<share>[\d.]+%)\))? *"#,
      hints: ["event": ColumnHint(.text)],
      skipping: #" Performance counter stats for .*| +[\d.,]+ seconds (?:time elapsed|user|sys) *| +[\d.,]+ \+- .*"#,
      startsWith: " Performance counter stats for .*"),
    LinePattern(
      "memory-counts", #" +(?<value>\d+) (?:(?<unit>[KMG]) )?(?<counter>[A-Za-z][\w -]*)"#,
      hints: ["counter": ColumnHint(.text)], startsWith: #" +\d+ K total memory"#),
    LinePattern(
      "redis-monitor",
      #"(?<time>\d{10}\.\d+) \[(?<database>\d+) (?<client>[^\]]+)\] "(?<command>[^"]+)"(?: (?<arguments>.*))?"#,
      hints: ["client": ColumnHint(.text), "command": ColumnHint(.text)], skipping: "OK"),
    LinePattern(
      "package-files", #"(?<package>[a-z0-9][a-z0-9+.:-]*(?:, [a-z0-9][a-z0-9+.:-]*)*): (?<path>/(?!.*: ).*)"#,
      hints: ["path": ColumnHint(.text)], names: .repeated),
    LinePattern(
      "file-types", #"(?<file>\.{0,2}/[^:]*): +(?<type>\S.*)"#,
      hints: ["file": ColumnHint(.text)]),
    LinePattern("virtual-machines", #""(?<name>[^"]+)" \{(?<uuid>[0-9a-f-]{36})\}"#),
    LinePattern(
      "packets",
      #"(?<time>(?:\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d\.\d+) (?:(?<interface>\S+) +(?<direction>In|Out|B|M|P) +)?(?<protocol>IP6?|ARP|STP|LLDP)(?:,| (?<source>\S+) > (?<destination>\S+):) ?(?<packet>.*)"#,
      hints: ["time": ColumnHint(.text), "packet": ColumnHint(.text)]),
    LinePattern(
      "dynamic-section", #" (?<tag>0x[0-9a-f]+) \((?<type>\w+)\) +(?<value>.*)"#,
      hints: ["tag": ColumnHint(.text), "value": ColumnHint(.text)],
      skipping: #"Dynamic section at .*|  Tag +Type .*"#),
    LinePattern(
      "prometheus",
      #"(?<metric>[A-Za-z_:][\w:]*)(?:\{(?<labels>.*)\})?\s+(?<value>[-+]?[\d.]+(?:[eE][-+]?\d+)?|NaN|[-+]Inf)(?:\s+(?<timestamp>\d{13}))?"#,
      hints: ["metric": ColumnHint(.text)], skipping: "#.*", startsWith: "# (?:HELP|TYPE) .*"),
    LinePattern("ls-recursive", #"(?<name>\S.*)"#, heading: "directory", needsHeadings: true),
    LinePattern("git-status", #"(?!  )(?<index>[ MADRCU?!])(?<worktree>[ MADRCU?!]) (?<file>\S.*)"#, skipping: "## .*"),
    LinePattern(
      "numbered", #" *(?<number>\d+)(?: +(?!.* {3}|\d+ )| *\t)(?!\d+ +\d+:\d+ |total$)(?<text>[^\s|][^\t]*)"#,
      hints: ["text": ColumnHint(.text)],
      ascends: true),
    LinePattern(
      "count", #" *(?<count>\d+|[\d.]+[KMGTPE])(?: +(?!.* {3})| *\t)(?!\d+ )(?<value>[^\s|][^\t]*)"#,
      hints: ["value": ColumnHint(.text)],
      skipping: #"total [\d.]+[KMGT]?"#, somewhere: #" .*|.*\t.*|total .*|.* total"#),
    LinePattern(
      "meminfo", #"(?<name>[A-Za-z][\w()]*):\s+(?<value>\d+)(?: (?<unit>kB))?"#, hints: ["name": ColumnHint(.text)]),
    LinePattern(
      "counters", #"(?<name>[A-Za-z_][\w-]+) (?<value>-?[\d.]+)"#, hints: ["name": ColumnHint(.text)], names: .unique),
    LinePattern(
      "env", #"(?<name>[A-Za-z_]\w*)=(?!=)(?<value>.*)"#,
      hints: ["name": ColumnHint(.text), "value": ColumnHint(.text)],
      names: .unique),
    LinePattern(
      "settings", #"(?<name>[A-Za-z][\w-]*(?:\.[\w./:@*+-]+)+)=(?!=)(?<value>.*)"#,
      hints: ["name": ColumnHint(.text), "value": ColumnHint(.text)]),
    LinePattern(
      "properties", #"\s*(?<name>[A-Za-z][^:=]{0,60}?)\s*:(?!//)\s*(?<value>.*)"#,
      hints: ["name": ColumnHint(.text), "value": ColumnHint(.text)], skipping: "#.*", isDetected: false,
      names: .unique),
  ]
}
