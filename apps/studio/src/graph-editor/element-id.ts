/**
 * Of the element of a step on the canvas.
 *
 * @param scope what the ids of a canvas begin with, where there are two
 */
export const nodeElementId = (id: string, scope = '') => `${scope}step-${id}`
