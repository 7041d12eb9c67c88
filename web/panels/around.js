// around.js: what stands beside and above the table where there are tables to choose from, or filters to take away. Loaded when there are.

export { Chips } from './chips.js';
export { Sidebar } from './sidebar.js';
