/// Limits on the actions that a source offers.
enum ActionLimits {
  /// The maximum number of actions per table.
  static let actions = 64
  /// The maximum number of arguments per action.
  static let arguments = 32
  /// The maximum number of choices per argument.
  static let choices = 1_000
  /// The longest timeout of an action, in milliseconds.
  static let patience: Int64 = 600_000
}
