// copylink.js: copies a link.

/** Copies a link, and returns whether the browser allowed it. */
export function copyLink(href) {
  const put = (event) => {
    event.clipboardData.setData('text/plain', href);
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  // Works also on pages without TLS, unlike navigator.clipboard.
  document.addEventListener('copy', put, { capture: true, once: true });
  const isCopied = document.execCommand('copy');
  document.removeEventListener('copy', put, { capture: true });
  return isCopied;
}
