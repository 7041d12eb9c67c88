/// Something that people may have done to a row, or to the table as a whole.
///
///     var actions: [Action] {
///       [
///         Action("stop", title: "Stop", confirm: "Stop this job?", isDangerous: true) { request in
///           try stop(job: request.key)
///           return "It was stopped."
///         }
///       ]
///     }
///
/// What can do harm is offered only when the plugin's user has said so with a setting.
public struct Action: Sendable {
  /// What the host calls it; unique in its table.
  public var name: String
  /// What people choose; the name when empty.
  public var title: String
  /// What they are asked before; nothing when empty.
  public var confirm: String
  /// Whether it destroys something.
  public var isDangerous: Bool
  /// Whether it is done to a row, not to the table as a whole.
  public var appliesToRows: Bool
  /// What has to be said besides, in the order of a form.
  public var arguments: [ActionArgument]
  /// How long it may take; at most ten minutes.
  public var patience: Duration
  /// Does it, and says for people what was done; an error is told them as well.
  ///
  /// It runs on a thread of the host's, one action after the other, while the source's loop goes on. What it has changed is best told before
  /// it returns.
  public var perform: @Sendable (ActionRequest) throws -> String

  /// Something that is done to a row, unless told otherwise.
  public init(
    _ name: String, title: String = "", confirm: String = "", isDangerous: Bool = false, appliesToRows: Bool = true,
    arguments: [ActionArgument] = [], patience: Duration = .seconds(30),
    perform: @escaping @Sendable (ActionRequest) throws -> String
  ) {
    self.name = name
    self.title = title
    self.confirm = confirm
    self.isDangerous = isDangerous
    self.appliesToRows = appliesToRows
    self.arguments = arguments
    self.patience = patience
    self.perform = perform
  }
}
