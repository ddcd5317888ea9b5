const UPDATE_INTERVAL_MS = 200
/** Erases the line of the cursor. */
const CLEAR_LINE = '\r\u{1b}[2K'

/** The count of decided inputs on the last line of a terminal; nothing elsewhere. */
export function showProgress(): { update(count: number): void; clear(): void } {
  const start = performance.now()
  let shownAt = start
  let isShown = false
  return {
    update(count) {
      const now = performance.now()
      if (!process.stderr.isTTY || now - shownAt < UPDATE_INTERVAL_MS) return
      shownAt = now
      isShown = true
      const rate = Math.round((count * 1000) / (now - start))
      process.stderr.write(`${CLEAR_LINE}${count.toLocaleString('en')} inputs, ${rate.toLocaleString('en')}/s`)
    },
    clear() {
      if (isShown) process.stderr.write(CLEAR_LINE)
    },
  }
}
