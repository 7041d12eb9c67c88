// A plugin's entry function answers with a C struct; the author imports one module for all of it.
@_exported import CListPlugin

/// What a plugin's entry function answers with.
public typealias PluginEntry = UnsafePointer<list_plugin>
