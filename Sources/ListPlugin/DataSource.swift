/// Where rows come from: what a plugin's author writes.
///
/// Most plugins are happier as a ``PolledSource``, which lists everything anew once in a while. This one has a loop of its
/// own, for whoever knows what has changed:
///
///     struct Tail: DataSource {
///       let schema = Schema("tail", key: .integer, columns: [Column("line", .text)])
///       init(_ configuration: Configuration) {}
///
///       mutating func run(_ host: ListHost) throws {
///         var batch = Batch(.upsert, columns: 1)
///         while let (number, line) = nextLine() {
///           batch.removeAll()
///           batch.add(key: number, line)
///           try host.push(batch)          // throws when the source is being stopped
///         }
///       }
///     }
///
///     @c(list_plugin_entry_v1) public func entry() -> PluginEntry { export(Tail.self) }
///
/// It is made and configured on a thread of the host's, runs on a thread of its own, and is used by one thread at a time.
public protocol DataSource {
  /// The plugin's short name; the type's, in small letters, unless told otherwise.
  static var name: String { get }
  /// One line for people; the name unless told otherwise.
  static var title: String { get }
  /// The table's columns. Asked for once, on the source's thread, before ``run(_:)``.
  var schema: Schema { get }

  /// What people may have done; nothing unless told otherwise. Asked for once, as ``schema`` is.
  var actions: [Action] { get }
  /// Who loads the cells of columns that are deferred; nobody unless told otherwise. Asked for once, as ``schema`` is.
  var loader: CellLoader? { get }
  /// Who gives the bytes of the images in its cells; nobody unless told otherwise. Asked for once, as ``schema`` is.
  var images: ImageLoader? { get }

  /// Reads the settings, and throws when one is bad. A key that is not read here is refused: it is misspelt.
  ///
  /// It must not block. What takes time, such as a connection, belongs into ``run(_:)``.
  init(_ configuration: Configuration) throws

  /// The source's loop. It ends with the error that ``ListHost/wait(_:)`` and ``ListHost/push(_:reload:)`` throw when the source
  /// is being stopped; by returning when the list is complete; with any other error when it cannot go on.
  mutating func run(_ host: ListHost) throws
}

extension DataSource {
  /// The type's name in small letters.
  public static var name: String { String(describing: Self.self).lowercased() }
  /// The plugin's name.
  public static var title: String { name }
  /// None.
  public var actions: [Action] { [] }
  /// Nobody.
  public var loader: CellLoader? { nil }
  /// Nobody.
  public var images: ImageLoader? { nil }
}
