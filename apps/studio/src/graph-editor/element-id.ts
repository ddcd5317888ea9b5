/**
 * The element id of a step on the canvas.
 *
 * @param scope prefix of the ids of a canvas if there are two
 */
export const nodeElementId = (id: string, scope = '') => `${scope}step-${id}`
