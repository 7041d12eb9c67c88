import Testing

@testable import TextSource

@Suite struct AlignedColumnsTests {
  /// The output of well-known programs, with the expected table, its fields separated by bars.
  private static let outputs: [(program: String, output: String, table: String)] = [
    (
      "docker images",
      """
      REPOSITORY   TAG       IMAGE ID       CREATED        SIZE
      nginx        latest    605c77e624dd   2 years ago    141MB
      redis        7         605c77e624de   2 months ago   1.2GB
      """,
      """
      REPOSITORY|TAG|IMAGE ID|CREATED|SIZE
      nginx|latest|605c77e624dd|2 years ago|141MB
      redis|7|605c77e624de|2 months ago|1.2GB
      """
    ),
    (
      "docker ps",
      """
      CONTAINER ID   IMAGE          COMMAND                  CREATED          STATUS                    PORTS                NAMES
      2d3f1a0b9c8e   nginx:latest   "/docker-entrypoint.…"   2 hours ago      Up 2 hours                0.0.0.0:80->80/tcp   web
      9a8b7c6d5e4f   redis:7        "docker-entrypoint.s…"   3 days ago       Exited (0) 2 hours ago                         cache
      """,
      """
      CONTAINER ID|IMAGE|COMMAND|CREATED|STATUS|PORTS|NAMES
      2d3f1a0b9c8e|nginx:latest|"/docker-entrypoint.…"|2 hours ago|Up 2 hours|0.0.0.0:80->80/tcp|web
      9a8b7c6d5e4f|redis:7|"docker-entrypoint.s…"|3 days ago|Exited (0) 2 hours ago||cache
      """
    ),
    (
      "docker ps, no ports",
      """
      CONTAINER ID   IMAGE          COMMAND                  CREATED          STATUS                    PORTS     NAMES
      2d3f1a0b9c8e   nginx:latest   "/docker-entrypoint.…"   2 hours ago      Up 2 hours                          web
      """,
      """
      CONTAINER ID|IMAGE|COMMAND|CREATED|STATUS|PORTS|NAMES
      2d3f1a0b9c8e|nginx:latest|"/docker-entrypoint.…"|2 hours ago|Up 2 hours||web
      """
    ),
    (
      "docker stats",
      """
      CONTAINER ID   NAME      CPU %     MEM USAGE / LIMIT     MEM %     NET I/O           BLOCK I/O         PIDS
      2d3f1a0b9c8e   web       0.00%     1.523GiB / 7.667GiB   19.87%    1kB / 648B        0B / 0B           5
      9a8b7c6d5e4f   cache     12.35%    2.523GiB / 7.667GiB   32.91%    2kB / 0B          8.19kB / 0B       12
      """,
      """
      CONTAINER ID|NAME|CPU %|MEM USAGE / LIMIT|MEM %|NET I/O|BLOCK I/O|PIDS
      2d3f1a0b9c8e|web|0.00%|1.523GiB / 7.667GiB|19.87%|1kB / 648B|0B / 0B|5
      9a8b7c6d5e4f|cache|12.35%|2.523GiB / 7.667GiB|32.91%|2kB / 0B|8.19kB / 0B|12
      """
    ),
    (
      "kubectl get events",
      """
      LAST SEEN   TYPE      REASON      OBJECT            MESSAGE
      5m          Normal    Scheduled   pod/web-0         Successfully assigned default/web-0 to node-1
      2m          Warning   BackOff     pod/web-0         Back-off restarting failed container web in pod web-0
      """,
      """
      LAST SEEN|TYPE|REASON|OBJECT|MESSAGE
      5m|Normal|Scheduled|pod/web-0|Successfully assigned default/web-0 to node-1
      2m|Warning|BackOff|pod/web-0|Back-off restarting failed container web in pod web-0
      """
    ),
    (
      "kubectl get events, repeated",
      """
      LAST SEEN              TYPE      REASON      OBJECT            MESSAGE
      5m12s                  Normal    Scheduled   pod/web-0         Successfully assigned default/web-0 to node-1
      117s (x2 over 5m)      Warning   BackOff     pod/web-0         Back-off restarting failed container web in pod web-0
      """,
      """
      LAST SEEN|TYPE|REASON|OBJECT|MESSAGE
      5m12s|Normal|Scheduled|pod/web-0|Successfully assigned default/web-0 to node-1
      117s (x2 over 5m)|Warning|BackOff|pod/web-0|Back-off restarting failed container web in pod web-0
      """
    ),
    (
      "kubectl get pods -o wide",
      """
      NAME                     READY   STATUS    RESTARTS      AGE   IP           NODE     NOMINATED NODE   READINESS GATES
      api-6d4cf56db6-x2x7k     1/1     Running   1 (5m ago)    3d    10.1.0.5     node-1   <none>           <none>
      db-0                     0/1     Pending   0             12h   <none>       <none>   <none>           <none>
      """,
      """
      NAME|READY|STATUS|RESTARTS|AGE|IP|NODE|NOMINATED NODE|READINESS GATES
      api-6d4cf56db6-x2x7k|1/1|Running|1 (5m ago)|3d|10.1.0.5|node-1|<none>|<none>
      db-0|0/1|Pending|0|12h|<none>|<none>|<none>|<none>
      """
    ),
    (
      "helm ls",
      """
      NAME   NAMESPACE   REVISION   UPDATED                                   STATUS     CHART          APP VERSION
      web    default     1          2026-11-20 10:11:12.123456 +0000 UTC      deployed   nginx-15.0.1   1.25.1
      db     data        12         2026-11-21 10:11:12.123456 +0000 UTC      failed     pg-12.1.0      15.3.0
      """,
      """
      NAME|NAMESPACE|REVISION|UPDATED|STATUS|CHART|APP VERSION
      web|default|1|2026-11-20 10:11:12.123456 +0000 UTC|deployed|nginx-15.0.1|1.25.1
      db|data|12|2026-11-21 10:11:12.123456 +0000 UTC|failed|pg-12.1.0|15.3.0
      """
    ),
    (
      "ps aux",
      """
      USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND
      root           1  0.0  0.1 167744 11220 ?        Ss   Nov21   0:03 /sbin/init splash
      root           2  0.0  0.0      0     0 ?        S    Nov21   0:00 [kthreadd]
      systemd+     512  0.1  0.0  89356  6480 ?        Ssl  Nov21   1:11 /lib/systemd/systemd-timesyncd
      """,
      """
      USER|PID|%CPU|%MEM|VSZ|RSS|TTY|STAT|START|TIME|COMMAND
      root|1|0.0|0.1|167744|11220|?|Ss|Nov21|0:03|/sbin/init splash
      root|2|0.0|0.0|0|0|?|S|Nov21|0:00|[kthreadd]
      systemd+|512|0.1|0.0|89356|6480|?|Ssl|Nov21|1:11|/lib/systemd/systemd-timesyncd
      """
    ),
    (
      "ps aux, wide values",
      """
      USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND
      root           1  0.0  0.1 167744 11220 ?        Ss   Nov21   0:03 /sbin/init splash
      root         900  3.0  9.0 12345678 1234567 ?    Sl   Nov21  10:03 /usr/bin/java -jar x.jar
      """,
      """
      USER|PID|%CPU|%MEM|VSZ|RSS|TTY|STAT|START|TIME|COMMAND
      root|1|0.0|0.1|167744|11220|?|Ss|Nov21|0:03|/sbin/init splash
      root|900|3.0|9.0|12345678|1234567|?|Sl|Nov21|10:03|/usr/bin/java -jar x.jar
      """
    ),
    (
      "ps -ef",
      """
      UID          PID    PPID  C STIME TTY          TIME CMD
      root           1       0  0 Nov21 ?        00:00:03 /sbin/init splash
      root           2       0  0 Nov21 ?        00:00:00 [kthreadd]
      postgres    4411    4400 12 10:11 pts/1    00:10:00 psql -h db
      """,
      """
      UID|PID|PPID|C|STIME|TTY|TIME|CMD
      root|1|0|0|Nov21|?|00:00:03|/sbin/init splash
      root|2|0|0|Nov21|?|00:00:00|[kthreadd]
      postgres|4411|4400|12|10:11|pts/1|00:10:00|psql -h db
      """
    ),
    (
      "ps",
      """
          PID TTY          TIME CMD
         1234 pts/0    00:00:00 bash
        99999 pts/0    00:00:00 ps
      """,
      """
      PID|TTY|TIME|CMD
      1234|pts/0|00:00:00|bash
      99999|pts/0|00:00:00|ps
      """
    ),
    (
      "df",
      """
      Filesystem     1K-blocks     Used Available Use% Mounted on
      overlay         61202244  8000000  50000000  14% /
      tmpfs              65536        0     65536   0% /dev
      /dev/sda1       61202244  8000000  50000000  14% /media/My Disk
      """,
      """
      Filesystem|1K-blocks|Used|Available|Use%|Mounted on
      overlay|61202244|8000000|50000000|14%|/
      tmpfs|65536|0|65536|0%|/dev
      /dev/sda1|61202244|8000000|50000000|14%|/media/My Disk
      """
    ),
    (
      "df -h",
      """
      Filesystem      Size  Used Avail Use% Mounted on
      overlay          59G  7.7G   48G  14% /
      shm              64M     0   64M   0% /dev/shm
      """,
      """
      Filesystem|Size|Used|Avail|Use%|Mounted on
      overlay|59G|7.7G|48G|14%|/
      shm|64M|0|64M|0%|/dev/shm
      """
    ),
    (
      "free",
      """
                     total        used        free      shared  buff/cache   available
      Mem:        16316412     5432100     1234567      123456     9649745    10432100
      Swap:        2097148           0     2097148
      """,
      """
      |total|used|free|shared|buff/cache|available
      Mem:|16316412|5432100|1234567|123456|9649745|10432100
      Swap:|2097148|0|2097148|||
      """
    ),
    (
      "free, one line",
      """
                     total        used        free      shared  buff/cache   available
      Mem:        16316412     5432100     1234567      123456     9649745    10432100
      """,
      """
      |total|used|free|shared|buff/cache|available
      Mem:|16316412|5432100|1234567|123456|9649745|10432100
      """
    ),
    (
      "lsblk",
      """
      NAME   MAJ:MIN RM   SIZE RO TYPE MOUNTPOINTS
      sda      8:0    0   100G  0 disk
      ├─sda1   8:1    0   512M  0 part /boot/efi
      └─sda2   8:2    0  99.5G  0 part /
      sr0     11:0    1  1024M  0 rom
      """,
      """
      NAME|MAJ:MIN|RM|SIZE|RO|TYPE|MOUNTPOINTS
      sda|8:0|0|100G|0|disk|
      ├─sda1|8:1|0|512M|0|part|/boot/efi
      └─sda2|8:2|0|99.5G|0|part|/
      sr0|11:0|1|1024M|0|rom|
      """
    ),
    (
      "/proc/net/tcp",
      """
        sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
         0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 123456 1 0000000000000000 100 0 0 10 0
         1: 00000000:0016 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 22345 1 0000000000000000 100 0 0 10 0
      """,
      """
      sl|local_address|rem_address|st|tx_queue rx_queue|tr tm->when|retrnsmt|uid|timeout|inode
      0:|0100007F:1F90|00000000:0000|0A|00000000:00000000|00:00000000|00000000|1000|0|123456 1 0000000000000000 100 0 0 10 0
      1:|00000000:0016|00000000:0000|0A|00000000:00000000|00:00000000|00000000|0|0|22345 1 0000000000000000 100 0 0 10 0
      """
    ),
    (
      "netstat -tulpn",
      """
      Active Internet connections (only servers)
      Proto Recv-Q Send-Q Local Address           Foreign Address         State       PID/Program name
      tcp        0      0 127.0.0.1:5432          0.0.0.0:*               LISTEN      812/postgres
      tcp6       0      0 :::22                   :::*                    LISTEN      77/sshd: /usr/sbin
      udp        0      0 0.0.0.0:68              0.0.0.0:*                           501/dhclient
      """,
      """
      Proto|Recv-Q|Send-Q|Local Address|Foreign Address|State|PID/Program name
      tcp|0|0|127.0.0.1:5432|0.0.0.0:*|LISTEN|812/postgres
      tcp6|0|0|:::22|:::*|LISTEN|77/sshd: /usr/sbin
      udp|0|0|0.0.0.0:68|0.0.0.0:*||501/dhclient
      """
    ),
    (
      "ss -tln",
      """
      State     Recv-Q    Send-Q       Local Address:Port         Peer Address:Port    Process
      LISTEN    0         4096         127.0.0.53%lo:53                0.0.0.0:*
      LISTEN    0         128                0.0.0.0:22                0.0.0.0:*
      """,
      """
      State|Recv-Q|Send-Q|Local Address:Port|Peer Address:Port|Process
      LISTEN|0|4096|127.0.0.53%lo:53|0.0.0.0:*|
      LISTEN|0|128|0.0.0.0:22|0.0.0.0:*|
      """
    ),
    (
      "ss -tln, one line",
      """
      State     Recv-Q    Send-Q       Local Address:Port         Peer Address:Port    Process
      LISTEN    0         128                0.0.0.0:22                0.0.0.0:*
      """,
      """
      State|Recv-Q|Send-Q|Local Address:Port|Peer Address:Port|Process
      LISTEN|0|128|0.0.0.0:22|0.0.0.0:*|
      """
    ),
    (
      "who -H",
      """
      NAME     LINE         TIME             COMMENT
      root     pts/0        2026-11-22 13:00 (10.0.0.1)
      alex     tty1         2026-11-22 09:15
      """,
      """
      NAME|LINE|TIME|COMMENT
      root|pts/0|2026-11-22 13:00|(10.0.0.1)
      alex|tty1|2026-11-22 09:15|
      """
    ),
    (
      "vmstat, wide values",
      """
      procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----
       r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st
       1  0      0 1234567 123456 9649745    0    0     5    12   50  100  3  1 96  0  0
      """,
      """
      r|b|swpd|free|buff|cache|si|so|bi|bo|in|cs|us|sy|id|wa|st
      1|0|0|1234567|123456|9649745|0|0|5|12|50|100|3|1|96|0|0
      """
    ),
    (
      "systemctl",
      """
        UNIT                        LOAD   ACTIVE SUB       DESCRIPTION
        dbus.service                loaded active running   D-Bus System Message Bus
        cron.service                loaded active running   Regular background program processing daemon
      """,
      """
      UNIT|LOAD|ACTIVE|SUB|DESCRIPTION
      dbus.service|loaded|active|running|D-Bus System Message Bus
      cron.service|loaded|active|running|Regular background program processing daemon
      """
    ),
    (
      "wide characters",
      """
      NAME      CITY    AGE
      名前      東京    5
      bob       Rome    12
      李        大阪府  7
      """,
      """
      NAME|CITY|AGE
      名前|東京|5
      bob|Rome|12
      李|大阪府|7
      """
    ),
    (
      "ps -eo pid,lstart,cmd",
      """
        PID                  STARTED CMD
          1 Mon Nov 23 04:08:49 2026 /sbin/init splash
       2871 Tue Nov  3 09:58:02 2026 [kworker/1:0-virtio_vsock]
      """,
      """
      PID|STARTED|CMD
      1|Mon Nov 23 04:08:49 2026|/sbin/init splash
      2871|Tue Nov  3 09:58:02 2026|[kworker/1:0-virtio_vsock]
      """
    ),
    (
      "ps -eo lstart,pid,comm",
      """
                       STARTED     PID COMMAND
      Mon Nov 23 04:08:49 2026       1 init
      Tue Nov  3 09:58:02 2026   28678 kworker/1:0-virtio_vsock
      """,
      """
      STARTED|PID|COMMAND
      Mon Nov 23 04:08:49 2026|1|init
      Tue Nov  3 09:58:02 2026|28678|kworker/1:0-virtio_vsock
      """
    ),
    (
      "/proc/interrupts",
      """
                 CPU0       CPU1
       24:          1          0  IO-APIC   5-edge      ACPI:Ged
       28:          0          0 PCI-MSIX-0000:00:01.0   0-edge      virtio0-config
      TLB:     570760     575971   TLB shootdowns
      ERR:          0
      """,
      """
      |CPU0|CPU1|
      24:|1|0|IO-APIC   5-edge      ACPI:Ged
      28:|0|0|PCI-MSIX-0000:00:01.0   0-edge      virtio0-config
      TLB:|570760|575971|TLB shootdowns
      ERR:|0||
      """
    ),
    (
      "dpkg -l",
      """
      Desired=Unknown/Install/Remove/Purge/Hold
      | Status=Not/Inst/Conf-files/Unpacked/halF-conf/Half-inst/trig-aWait/Trig-pend
      |/ Err?=(none)/Reinst-required (Status,Err: uppercase=bad)
      ||/ Name               Version         Architecture Description
      +++-==================-===============-============-==========================================
      ii  adduser            3.134           all          add and remove users and groups
      ii  zlib1g-dev:amd64   1:1.2.13.dfsg-1 amd64        compression library - development
      """,
      """
      |Name|Version|Architecture|Description
      ii|adduser|3.134|all|add and remove users and groups
      ii|zlib1g-dev:amd64|1:1.2.13.dfsg-1|amd64|compression library - development
      """
    ),
    (
      "systemctl, failed units",
      """
        UNIT                       LOAD      ACTIVE   SUB     DESCRIPTION
        apparmor.service           loaded    active   exited  Load AppArmor profiles
      ● apt-daily.service          not-found inactive dead    apt-daily.service
      ● logrotate.service          loaded    failed   failed  Rotate log files
      """,
      """
      |UNIT|LOAD|ACTIVE|SUB|DESCRIPTION
      |apparmor.service|loaded|active|exited|Load AppArmor profiles
      ●|apt-daily.service|not-found|inactive|dead|apt-daily.service
      ●|logrotate.service|loaded|failed|failed|Rotate log files
      """
    ),
    (
      "psql",
      """
       id |   name    | city
      ----+-----------+------
        1 | Ada L     |
        2 | Grace     | NYC
      """,
      """
      id|name|city
      1|Ada L|
      2|Grace|NYC
      """
    ),
  ]

  /// Returns the table in an output; `nil` when there is none.
  private func table(_ output: String, isDeclared: Bool = false) -> String? {
    let lines = output.split(separator: "\n").map { String($0) }
    guard let columns = AlignedColumns(lines, isDeclared: isDeclared) else { return nil }
    return
      ([columns.names] + lines.dropFirst(columns.headerLine + 1).map(columns.fields(of:)))
      .map { $0.joined(separator: "|") }.joined(separator: "\n")
  }

  @Test(arguments: outputs.indices) func `splits the output of common programs into columns`(_ index: Int) {
    let (program, output, expected) = Self.outputs[index]
    #expect(table(output) == expected, "\(program)")
  }

  @Test func `splits names at single blanks only where the values fit`() {
    #expect(table("IMAGE ID   SIZE\n605c77e6   141MB") == "IMAGE ID|SIZE\n605c77e6|141MB")
    #expect(table("LAST SEEN   TYPE\n5m          Normal") == "LAST SEEN|TYPE\n5m|Normal")
    #expect(table("NET I/O       PIDS\n1kB / 648B    5") == "NET I/O|PIDS\n1kB / 648B|5")
    #expect(
      table("NAME  FSTYPE LABEL UUID FSUSE%\nvda                        7%")
        == "NAME|FSTYPE|LABEL|UUID|FSUSE%\nvda||||7%")
    #expect(table("PID TTY    CMD\n  1 pts/0  sh") == "PID|TTY|CMD\n1|pts/0|sh")
  }

  @Test(arguments: [
    "6bc2bed Test what is kept in Firefox, too\n1025bc0 Put a reader back\nf019734 Keep an Enter",
    "[    0.000000] Linux version 6.1.0-18-amd64\n[    0.000000] Command line: BOOT_IMAGE=/vmlinuz",
    "2026-11-22 12:00:01,123 INFO     root starting\n2026-11-22 12:00:02,123 WARNING  root slow",
    "INFO  starting\nINFO  listening on 80\nWARN  slow",
    "proc on /proc type proc (rw,nosuid)\nudev on /dev type devtmpfs (rw,nosuid,relatime)",
    "total 24\ndrwxr-xr-x  2 root root  4096 Nov 22 13:26 .\ndrwxrwxrwt 83 root root 12288 Nov 22 13:26 ..",
    "Architecture:     x86_64\nByte Order:       Little Endian",
    "Hello.  This is a text\nthat has\nno columns, of course", "one", "",
  ]) func `finds no columns in logs, lists and prose`(_ text: String) { #expect(table(text) == nil) }

  @Test(arguments: [
    // A value that overflows its column, and names as close together as their values.
    """
    disk- ------------reads------------ ------------writes-----------
           total merged sectors      ms  total merged sectors      ms
    loop0      0      0       0       0      0      0       0       0
    loop1      0      0       0       0      0      0       0       0
    loop2      0      0       0       0      0      0       0       0
    loop3      0      0       0       0      0      0       0       0
    vda   884247  66704 57555146 12286674 851007 534449 80452488 1223565
    """,
    """
    eth0: flags=4163<UP,BROADCAST,RUNNING,MULTICAST>  mtu 1400
            inet 192.0.2.2  netmask 255.255.255.0  broadcast 192.0.2.255
            ether 02:fc:00:00:00:01  txqueuelen 1000  (Ethernet)
    """,
    "4.0K  /etc/rc2.d\n8.0K  /etc/selinux\n16K   /etc/xdg",
  ]) func `a text with ambiguous columns is not split`(_ text: String) { #expect(table(text) == nil) }

  @Test func `a line with ambiguous columns is not split`() throws {
    let columns = try #require(AlignedColumns(["NAME   SIZE  OWNER", "a        10  root", "b       200  me"]))
    #expect(columns.fittingFields(of: "c       300  you") == ["c", "300", "you"])
    #expect(columns.fittingFields(of: "a-very-long-name 7  root") == ["a-very-long-name", "7", "root"])
    #expect(columns.fittingFields(of: "two very-long-names-here 7  root") == nil)
    #expect(columns.fittingFields(of: "c    300000  you") == ["c", "300000", "you"])
    #expect(columns.fittingFields(of: "c    300000  you", strictly: true) == nil)
  }

  @Test func `skips a line of dashes below the header`() {
    #expect(table("Package  Version\n-------- -------\npip      24.0") == "Package|Version\npip|24.0")
    #expect(table("Package  Version\n-------- -------") == nil)
  }

  @Test func `takes any first line as a header if the format is given`() {
    #expect(table("2026-11-22  1\n2026-11-23  2", isDeclared: true) == "2026-11-22|1\n2026-11-23|2")
  }

  @Test func `keeps a later word across a column border whole`() throws {
    let columns = try #require(AlignedColumns(["NAME   SIZE  OWNER", "a        10  root", "b       200  me"]))
    #expect(columns.fields(of: "c    300000  root") == ["c", "300000", "root"])
    #expect(columns.fields(of: "long-name 7  root") == ["long-name", "7", "root"])
  }
}
