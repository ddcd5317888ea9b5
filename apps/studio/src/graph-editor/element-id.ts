/** Of the element of a step on the canvas. */
export const nodeElementId = (id: string) => `step-${id}`
