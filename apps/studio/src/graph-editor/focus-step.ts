import { nodeElementId } from './element-id.ts'

/** The element to focus once it is rendered: in a large graph only visible steps are elements. */
let wanted: string | undefined

/** Focus a step of the canvas, now or when its element is rendered. */
export function focusStep(id: string, scope = ''): void {
  const elementId = nodeElementId(id, scope)
  wanted = elementId
  requestAnimationFrame(() => {
    const element = document.getElementById(elementId)
    if (wanted === elementId && element !== null) take(element)
  })
}

/** Called by the element of a step when it is first rendered. */
export function focusWhenDrawn(elementId: string, element: HTMLElement | null): void {
  if (wanted === elementId && element !== null) take(element)
}

function take(element: HTMLElement): void {
  wanted = undefined
  element.focus({ preventScroll: true })
}
