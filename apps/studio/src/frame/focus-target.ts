const FOCUSABLE =
  'a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), textarea:not(:disabled), [tabindex="0"], [contenteditable="true"]'

/** The first focusable element within. */
export function firstFocusable(within: Element): HTMLElement | undefined {
  const found = Array.from(within.querySelectorAll<HTMLElement>(FOCUSABLE))
  return found.find((one) => one.tabIndex >= 0 && one.checkVisibility({ visibilityProperty: true }))
}
