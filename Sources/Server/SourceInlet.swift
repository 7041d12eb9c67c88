import ListEngine

/// Where one source hands in what it has to say; its end of the way into the loop.
///
///     let inlet = server.control.addSource("processes")
///     inlet.tell(.schema(schema))
///     inlet.tell(.changes(changes))      // waits while the loop is behind
///
/// Every source has a box of its own, so that a fast one fills its own only.
public final class SourceInlet: Sendable {
  /// What a source has to say.
  public enum Event: Sendable {
    /// Its table; comes before all else, and again when the source has started anew.
    case schema(Schema)
    /// Its rows have changed.
    case changes(Changeset)
    /// It is up or down, and why.
    case state(SourceState, message: String)
  }

  /// What logs call the source.
  public let name: String
  let mailbox: Mailbox<Event>

  init(name: String, rowLimit: Int, byteLimit: Int, onMail: @escaping @Sendable () -> Void) {
    self.name = name
    self.mailbox = Mailbox(rowLimit: rowLimit, byteLimit: byteLimit, onMail: onMail)
  }

  /// Hands in one event; waits while the source is ahead of the loop. [any thread but the loop]
  ///
  /// - Returns: `false` when the server is stopping, and the source should.
  @discardableResult
  public func tell(_ event: Event) -> Bool {
    switch event {
    case .changes(let changes): mailbox.put(event, rows: max(1, changes.count), bytes: changes.byteCount)
    case .schema, .state: mailbox.put(event, rows: 1, bytes: 1_024)
    }
  }
}
