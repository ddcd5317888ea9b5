import fc from 'fast-check'

/** A change of a JSON document, at a place that is chosen by a number. */
export interface Mutation {
  readonly at: number
  readonly kind: (typeof KINDS)[number]
  readonly value: unknown
}

const KINDS = ['replace', 'remove', 'add', 'twice', 'wrap', 'swap'] as const

/** Up to three changes of a document, mostly one, so that the text before the broken place is still parsed. */
export const mutations = (values: fc.Arbitrary<unknown>): fc.Arbitrary<readonly Mutation[]> =>
  fc.array(fc.record({ at: fc.nat(), kind: fc.constantFrom(...KINDS), value: values }), { maxLength: 3, size: 'max' })

/** A list or an object, as far as a mutation goes. */
type Holder = Record<string, unknown>

interface Place {
  readonly holder: Holder
  readonly key: string
}

/** A copy of a document with the changes made one after the other. */
export function mutated(document: unknown, changes: readonly Mutation[]): unknown {
  const root: Holder = { document: structuredClone(document) }
  for (const change of changes) mutate(root, change)
  return root['document']
}

function mutate(root: Holder, { at, kind, value }: Mutation): void {
  const places = placesIn(root)
  const place = places[at % places.length]
  const other = places[(at * 31 + 7) % places.length]
  if (place === undefined || other === undefined) return
  const { holder, key } = place
  switch (kind) {
    case 'replace':
      holder[key] = value
      return
    case 'remove':
      if (Array.isArray(holder)) holder.splice(Number(key), 1)
      else if (holder !== root) delete holder[key]
      return
    case 'add':
      add(holder[key], value)
      return
    case 'twice':
      if (Array.isArray(holder)) holder.push(structuredClone(holder[key]))
      return
    case 'wrap':
      holder[key] = [holder[key]]
      return
    case 'swap':
      holder[key] = structuredClone(other.holder[other.key])
  }
}

function add(to: unknown, value: unknown): void {
  if (Array.isArray(to)) to.push(value)
  else if (typeof to === 'object' && to !== null) (to as Holder)['added'] = value
}

function placesIn(holder: Holder): readonly Place[] {
  return Object.entries(holder).flatMap(([key, value]) => [
    { holder, key },
    ...(typeof value === 'object' && value !== null ? placesIn(value as Holder) : []),
  ])
}
