"""Measures the share of blank list area in the frames of a screencast."""

# Makes everything dark except the blank background: rows by their text, and placeholders.
DARK_GHOST = """() => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('.ghost { background: black !important; }');
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}"""

# Keeps the main thread busy nearly all the time, so that the browser has to scroll without it.
KEEP_BUSY = """() => {
  window.busy = setInterval(() => {
    const end = performance.now() + 80;
    while (performance.now() < end);
  }, 100);
}"""

# The share of bands of one and a half row heights without any ink, for each picture.
SHARES = """async ([pictures, area, step]) => {
  const shares = [];
  for (const picture of pictures) {
    const bytes = Uint8Array.from(atob(picture), (one) => one.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
    const context = canvas.getContext('2d');
    context.drawImage(bitmap, 0, 0);
    let [bands, blank] = [0, 0];
    for (let y = area.top; y + step <= area.bottom; y += step) {
      const { data } = context.getImageData(area.left, y, area.right - area.left, step);
      let ink = 0;
      for (let at = 0; at < data.length; at += 4) if (data[at] + data[at + 1] + data[at + 2] < 450) ink += 1;
      bands += 1;
      if (ink < 6) blank += 1;
    }
    shares.push(blank / bands);
  }
  return shares;
}"""


def blank_shares(user, speed, seconds):
    """Scrolls by wheel while the page is busy. Returns the blank share of each presented frame."""
    page, browser = user.page, user.page.context.browser
    page.evaluate(DARK_GHOST)
    area = page.evaluate("""() => {
      const grid = document.querySelector('#grid').getBoundingClientRect();
      const top = document.querySelector('[role=columnheader]').getBoundingClientRect().bottom;
      return { left: grid.left + 5, right: grid.left + 400, top: top + 2, bottom: grid.bottom - 20 };
    }""")
    session = page.context.new_cdp_session(page)
    pictures = []

    def take(event):
        pictures.append(event["data"])
        session.send("Page.screencastFrameAck", {"sessionId": event["sessionId"]})

    session.on("Page.screencastFrame", take)
    page.evaluate(KEEP_BUSY)
    size = page.viewport_size
    session.send(
        "Page.startScreencast",
        {
            "format": "png", "maxWidth": size["width"], "maxHeight": size["height"],
            "everyNthFrame": 1})
    session.send("Input.synthesizeScrollGesture", {
        "x": (area["left"] + area["right"]) / 2, "y": (area["top"] + area["bottom"]) / 2,
        "yDistance": -speed * seconds, "speed": speed,
        "gestureSourceType": "mouse", "preventFling": True})
    session.send("Page.stopScreencast")
    session.detach()
    page.evaluate("() => clearInterval(window.busy)")
    looker = browser.new_page()
    try:
        return looker.evaluate(SHARES, [pictures, area, 42])
    finally:
        looker.close()
