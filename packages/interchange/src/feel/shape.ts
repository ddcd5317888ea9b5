/** The statically known type of a value, ignoring null. */
export type FeelShape =
  /** A FEEL type without a prefix, such as `number`. */
  | { readonly kind: 'base'; readonly type: string }
  | { readonly kind: 'list'; readonly items: () => FeelShape | undefined }
  | {
      readonly kind: 'context'
      readonly names: readonly string[]
      readonly member: (name: string) => FeelShape | undefined
    }

export const baseShape = (type: string): FeelShape => ({ kind: 'base', type })

/** The shape of a member; for a list, the list of its items' members. */
export function shapeAt(shape: FeelShape | undefined, members: readonly string[]): FeelShape | undefined {
  let found = shape
  for (const [index, member] of members.entries()) {
    if (found?.kind === 'list') {
      const { items } = found
      return { kind: 'list', items: () => shapeAt(items(), members.slice(index)) }
    }
    found = found?.kind === 'context' ? found.member(member) : undefined
  }
  return found
}

/** The type of a value that is neither a list nor a context. */
export const typeOfShape = (shape: FeelShape | undefined): string | undefined =>
  shape?.kind === 'base' ? shape.type : undefined

/** The common shape; undefined if the shapes differ or one is unknown. */
export function commonShape(shapes: readonly (FeelShape | undefined)[]): FeelShape | undefined {
  const [first, ...others] = shapes
  if (first === undefined) return undefined
  switch (first.kind) {
    case 'base':
      return others.every((one) => typeOfShape(one) === first.type) ? first : undefined
    case 'list': {
      const lists = shapes.flatMap((one) => (one?.kind === 'list' ? [one] : []))
      if (lists.length < shapes.length) return undefined
      return others.length === 0 ? first : { kind: 'list', items: () => commonShape(lists.map((one) => one.items())) }
    }
    case 'context': {
      const contexts = shapes.flatMap((one) => (one?.kind === 'context' ? [one] : []))
      const names = new Set(first.names)
      const isSame = contexts.every(
        (one) => one.names.length === names.size && one.names.every((name) => names.has(name)),
      )
      if (contexts.length < shapes.length || !isSame) return undefined
      if (others.length === 0) return first
      return { ...first, member: (name) => commonShape(contexts.map((one) => one.member(name))) }
    }
  }
}

/** Maximum depth of compared types: a type may contain itself. */
const MAX_LEVELS = 20

/** Whether every value of one shape certainly has the other. */
export function isOfShape(found: FeelShape | undefined, wanted: FeelShape | undefined, levels = MAX_LEVELS): boolean {
  if (wanted === undefined || found === undefined || levels === 0) return false
  switch (wanted.kind) {
    case 'base':
      return typeOfShape(found) === wanted.type
    case 'list':
      return found.kind === 'list' && isOfShape(found.items(), wanted.items(), levels - 1)
    case 'context':
      return (
        found.kind === 'context' &&
        wanted.names.every(
          (name) => found.names.includes(name) && isOfShape(found.member(name), wanted.member(name), levels - 1),
        )
      )
  }
}

/** Whether no value of one shape, ignoring null, has the other; false if one is unknown. */
export function isOtherShape(
  found: FeelShape | undefined,
  wanted: FeelShape | undefined,
  levels = MAX_LEVELS,
): boolean {
  if (wanted === undefined || found === undefined || levels === 0) return false
  switch (wanted.kind) {
    case 'base':
      return typeOfShape(found) !== wanted.type
    case 'list':
      return found.kind !== 'list' || isOtherShape(found.items(), wanted.items(), levels - 1)
    case 'context':
      return (
        found.kind !== 'context' ||
        wanted.names.some(
          (name) => !found.names.includes(name) || isOtherShape(found.member(name), wanted.member(name), levels - 1),
        )
      )
  }
}
