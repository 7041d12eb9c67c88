/// An action that users can run on a row, or on the whole table.
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
/// Offer harmful actions only if a setting of the source enables them.
public struct Action: Sendable {
  /// The action's identifier; unique in its table.
  public var name: String
  /// The title that users see; the name when empty.
  public var title: String
  /// A question that the user must confirm first; none when empty.
  public var confirm: String
  /// Whether the action destroys something.
  public var isDangerous: Bool
  /// Whether the action applies to a row, not to the whole table.
  public var appliesToRows: Bool
  /// The arguments, in the order of the form.
  public var arguments: [ActionArgument]
  /// The timeout; at most ten minutes.
  public var patience: Duration
  /// Runs the action and returns a message for users, who also see the text of an error.
  ///
  /// Actions run one at a time on a thread of the host, concurrently with the source's loop. Push
  /// the action's changes before it returns.
  public var perform: @Sendable (ActionRequest) throws -> String

  /// Creates an action, which applies to a row by default.
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
