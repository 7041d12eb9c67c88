extension LinePattern {
  private static let text = ColumnHint(.text)
  private static let state = ["state": ColumnHint(.badge)]

  /// The patterns for interfaces, routes and sockets.
  static let network: [LinePattern] = [
    LinePattern(
      "ip-brief-links",
      #"(?<interface>\S+) +(?<state>[A-Z]+) +(?<mac>(?:[0-9a-f]{2}:){5}[0-9a-f]{2}) <(?<flags>[^>]*)> *"#,
      hints: state),
    LinePattern(
      "ip-address-lines",
      #"(?<number>\d+): (?<interface>\S+) +(?<family>inet6?) (?<address>\S+)(?: peer (?<peer>\S+))?(?: brd (?<broadcast>\S+))?(?: metric \d+)? scope (?<scope>\S+) (?<details>.*\S) *"#
    ),
    LinePattern(
      "bridge-fdb",
      #"(?<mac>(?:[0-9a-f]{2}:){5}[0-9a-f]{2}) dev (?<interface>\S+)(?: vlan (?<vlan>\d+))?(?: master (?<master>\S+))?(?: dst (?<destination>\S+))?(?: (?<flags>\S.*?))? *"#
    ),
    LinePattern(
      "ip-link-lines",
      #"(?<number>\d+): (?<interface>[^:@\s]+)(?:@(?<parent>[^:\s]+))?: <(?<flags>[^>]*)> mtu (?<mtu>\d+)(?: qdisc (?<qdisc>\S+))?(?: master (?<master>\S+))?(?: state (?<state>\S+))?(?: (?<details>.*?))?\\ +link/(?<type>\S+)(?: (?<mac>[0-9a-f:]+))?(?: .*)?"#,
      hints: state),
    LinePattern(
      "ipv6-routes",
      #"(?<destination>\S+) +(?<next_hop>\S+) +(?<flags>[!A-Za-z]+) +(?<metric>-?\d+) +(?<ref>\d+) +(?<use>\d+) +(?<interface>\S+) *"#,
      hints: ["destination": text, "next_hop": text, "flags": text],
      skipping: "Kernel IPv6 routing table|Destination +.*",
      startsWith: "Kernel IPv6 routing table"),
    LinePattern(
      "unix-sockets",
      #"(?<type>u_\w+) +(?:(?<state>[A-Z][A-Z0-9-]*) +)?(?<received>\d+) +(?<sent>\d+) +(?<local>\S+ \d+) +(?<peer>\S+ \d+)(?: +(?<process>\S.*?))? *"#,
      hints: state, skipping: "Netid +.*"),
    LinePattern(
      "cassandra-nodes",
      #"(?<status>[UD][NLJMS]) +(?<address>\S+) +(?<load>[\d.]+ [KMGT]?i?B|\?) +(?<tokens>\d+) +(?<owns>\S+) +(?<host_id>[0-9a-f-]{36}) +(?<rack>\S+) *"#,
      hints: ["status": ColumnHint(.badge), "address": text, "host_id": text, "rack": text],
      skipping: "=+|Status=.*|[|]/ State=.*|-- +Address .*|Note: .*", heading: "datacenter",
      startsWith: "Datacenter: .*", titled: "Datacenter: (?<datacenter>.*)"),
  ]
}
