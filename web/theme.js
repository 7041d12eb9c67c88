// theme.js: the reader's own choice of light or dark, before anything is painted; everything else about it is in prefs.js.

try {
  const kept = localStorage.getItem('rowcast.theme');
  if (kept === 'dark' || kept === 'light') document.documentElement.dataset.theme = kept;
} catch { /* a browser that keeps nothing shows the system's */ }
