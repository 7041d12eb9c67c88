// later.js: what a reader reaches for once there are rows: menus, boxes and drags. Loaded after the first rows are on the screen.

export { Hands } from '../input/controller.js';
export { ColumnHands } from '../input/columncontroller.js';
export { openHelp } from '../panels/help.js';
export { showExports, showOptions } from '../panels/options.js';
