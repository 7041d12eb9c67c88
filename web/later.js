// later.js: what a reader reaches for once there are rows: menus, boxes and drags. Loaded after the first rows are on the screen.

export { Hands } from './hands.js';
export { ColumnHands } from './columnhands.js';
export { openHelp } from './help.js';
export { showExports, showOptions } from './options.js';
