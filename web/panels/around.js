// around.js: the sidebar and the filter chips. Loaded if there are several tables or any filters.

export { Chips } from './chips.js';
export { Sidebar } from './sidebar.js';
