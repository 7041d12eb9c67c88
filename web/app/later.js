// later.js: modules for interaction (menus, dialogs, drags). Loaded after the first rows are drawn.

export { Hands } from '../input/controller.js';
export { ColumnHands } from '../input/columncontroller.js';
export { columnCommands, commandsOf, tableCommands } from '../panels/commands.js';
export { openPalette } from '../panels/palette.js';
export { openHelp } from '../panels/help.js';
export { exportItems, showExports, showOptions } from '../panels/options.js';
