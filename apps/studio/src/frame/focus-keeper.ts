import { useEffect } from 'react'
import { firstFocusable } from './focus-target.ts'

/**
 * The browser moves the focus to the document when the focused element is removed, such as a deleted row, an action
 * that a release no longer allows, or a page. This hook moves it to a nearby control instead, otherwise to the page.
 */
export function useFocusKeeper(): void {
  useEffect(() => {
    let last: readonly Element[] = []
    const onFocus = ({ target }: FocusEvent) => {
      // A dialog returns focus to the control that opened it, which may be gone by then.
      if (target instanceof Element && target.closest('[role=dialog], [role=menu]') === null) last = ancestorsOf(target)
    }
    const onBlur = ({ target, relatedTarget }: FocusEvent) => {
      // A press outside all controls clears the focus; disabling or removing a control does not.
      if (target instanceof Element && relatedTarget === null && document.hasFocus() && !target.matches(':disabled'))
        queueMicrotask(() => target.isConnected && forget())
    }
    const forget = () => {
      if (document.querySelector('[role=dialog]') === null) last = []
    }
    let isWaiting = false
    const observer = new MutationObserver(() => {
      if (isWaiting || last[0] === undefined || last[0].isConnected || document.activeElement !== document.body) return
      isWaiting = true
      // Dialogs restore the focus one frame after they close.
      requestAnimationFrame(() =>
        requestAnimationFrame(() => {
          isWaiting = false
          if (document.activeElement === document.body) takeUp(last)
        }),
      )
    })
    addEventListener('focusin', onFocus)
    addEventListener('focusout', onBlur)
    observer.observe(document.body, { childList: true, subtree: true })
    return () => {
      observer.disconnect()
      removeEventListener('focusin', onFocus)
      removeEventListener('focusout', onBlur)
    }
  }, [])
}

/** The element and its ancestors, below the body. */
function ancestorsOf(element: Element): readonly Element[] {
  const found: Element[] = []
  for (let at: Element | null = element; at !== null && at !== document.body; at = at.parentElement) found.push(at)
  return found
}

function takeUp(lost: readonly Element[]): void {
  const main = document.getElementById('main')
  const near = lost.find((one) => one.isConnected)
  // The navigation outside the page does not count as nearby.
  const isInPage = near !== undefined && main !== null && main !== near && main.contains(near)
  const next = isInPage ? firstFocusable(near) : undefined
  ;(next ?? main)?.focus({ preventScroll: true })
}
