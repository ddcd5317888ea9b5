/** Stops collecting, and returns the keys typed since the start. */
export type EndTypeAhead = () => string

/**
 * Collects keys typed between a shortcut and the first frame of the dialog that it opens. Otherwise the page below
 * would receive them, and the dialog would miss them.
 */
export function collectTypeAhead(): EndTypeAhead {
  let text = ''
  const onKey = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.key === 'Escape') return
    event.preventDefault()
    event.stopPropagation()
    if (event.key === 'Backspace') text = text.slice(0, -1)
    else if (event.key.length === 1) text += event.key
  }
  addEventListener('keydown', onKey, { capture: true })
  return () => {
    removeEventListener('keydown', onKey, { capture: true })
    const typed = text
    text = ''
    return typed
  }
}
