// A plugin's entry function returns a C struct, and authors should import only one module.
@_exported import CListPlugin

/// The result of a plugin's entry function.
public typealias PluginEntry = UnsafePointer<list_plugin>
