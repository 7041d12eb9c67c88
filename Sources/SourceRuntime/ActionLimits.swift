/// Limits on the actions that a source offers.
package enum ActionLimits {
  /// The maximum number of actions per table.
  package static let actions = 64
  /// The maximum number of arguments per action.
  package static let arguments = 32
  /// The maximum number of choices per argument.
  package static let choices = 1_000
  /// The longest timeout of an action, in milliseconds.
  package static let patience: Int64 = 600_000
}
