import { isList, type Value, quote } from '@engine/expression'
import { at, described, type Fields, isFields, member, type Place } from '@engine/ruleset'
import type { Losses } from '../losses.ts'

/** A node of a JSON Decision Model, with its content unparsed. */
export interface JdmNode {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly content: Fields
  readonly place: Place
}

/** `handle`: the statement of a switch that it belongs to. */
export interface JdmEdge {
  readonly source: string
  readonly target: string
  readonly handle: string | undefined
  readonly place: Place
}

export interface JdmGraph {
  readonly nodes: readonly JdmNode[]
  readonly edges: readonly JdmEdge[]
  /** The tests of the document, unparsed. */
  readonly tests: Value | undefined
}

/** Maximum number of nodes and edges of one document. */
const MAX_NODES = 2000
const MAX_EDGES = 10_000

/** Reads the nodes and edges of a document; undefined when a loss leaves nothing to read. Linear in their number. */
export function readGraph(document: Value, losses: Losses): JdmGraph | undefined {
  if (!isFields(document)) return losses.error(undefined, wrongType('a decision with `nodes` and `edges`', document))
  const nodeList = listIn(document, 'nodes', MAX_NODES, losses)
  const edgeList = listIn(document, 'edges', MAX_EDGES, losses)
  if (nodeList === undefined || edgeList === undefined) return undefined
  const nodes: JdmNode[] = []
  const ids = new Set<string>()
  for (const [index, value] of nodeList.entries()) {
    const place = at(at(undefined, 'nodes'), index)
    const node = nodeOf(value, place, losses)
    if (node === undefined) continue
    if (ids.has(node.id)) losses.error(at(place, 'id'), { code: 'duplicate-id', message: 'another node has this id' })
    else nodes.push(node)
    ids.add(node.id)
  }
  const edges = edgeList.flatMap((value, index) => edgeOf(value, at(at(undefined, 'edges'), index), ids, losses) ?? [])
  return { nodes, edges, tests: member(document, 'tests') }
}

const wrongType = (expected: string, found: Value | undefined) => ({
  code: 'wrong-type',
  message: `must be ${expected}, found ${described(found)}`,
})

function listIn(fields: Fields, key: string, most: number, losses: Losses): readonly Value[] | undefined {
  const value = member(fields, key)
  if (!isList(value)) return losses.error(at(undefined, key), wrongType('a list', value))
  if (value.length <= most) return value
  const message = `must have at most ${most} items, found ${value.length}`
  return losses.error(at(undefined, key), { code: 'too-many', message })
}

function nodeOf(value: Value, place: Place, losses: Losses): JdmNode | undefined {
  if (!isFields(value)) return losses.error(place, wrongType('a node', value))
  const id = textIn(value, 'id', place, losses)
  const type = textIn(value, 'type', place, losses)
  if (id === undefined || type === undefined) return undefined
  const name = member(value, 'name')
  // The content of a function node in older documents is its source.
  const given = member(value, 'content') ?? {}
  const content = type === 'functionNode' && typeof given === 'string' ? { source: given } : given
  if (!isFields(content)) return losses.error(at(place, 'content'), wrongType('an object', content))
  return { id, type, name: typeof name === 'string' && name !== '' ? name : id, content, place }
}

function edgeOf(value: Value, place: Place, ids: ReadonlySet<string>, losses: Losses): JdmEdge | undefined {
  if (!isFields(value)) return losses.error(place, wrongType('an edge', value))
  const ends = ['sourceId', 'targetId'].map((key) => {
    const id = textIn(value, key, place, losses)
    if (id === undefined || ids.has(id)) return id
    losses.warn(at(place, key), {
      code: 'unknown-node',
      message: `no node has the id ${quote(id)}: the edge was omitted`,
    })
    return undefined
  })
  const [source, target] = ends
  if (source === undefined || target === undefined) return undefined
  const handle = member(value, 'sourceHandle')
  return { source, target, handle: typeof handle === 'string' ? handle : undefined, place }
}

/** A required text; undefined after a loss. */
export function textIn(fields: Fields, key: string, place: Place, losses: Losses): string | undefined {
  const value = member(fields, key)
  return typeof value === 'string' ? value : losses.error(at(place, key), wrongType('a text', value))
}

/** An optional text; a value of another type is reported and counts as absent. */
export function optionalText(fields: Fields, key: string, place: Place, losses: Losses): string {
  const value = member(fields, key) ?? ''
  return typeof value === 'string' ? value : (losses.error(at(place, key), wrongType('a text', value)) ?? '')
}

/** An optional flag. */
export function flagIn(fields: Fields, key: string, place: Place, losses: Losses): boolean {
  const value = member(fields, key) ?? false
  return typeof value === 'boolean'
    ? value
    : (losses.error(at(place, key), wrongType('`true` or `false`', value)) ?? false)
}

/** The objects of an optional list, with their places. */
export function objectsIn(
  fields: Fields,
  key: string,
  place: Place,
  losses: Losses,
): readonly { readonly fields: Fields; readonly place: Place }[] {
  const value = member(fields, key) ?? []
  const list = at(place, key)
  if (!isList(value)) return losses.error(list, wrongType('a list', value)) ?? []
  return value.flatMap((item, index) => {
    const own = at(list, index)
    return isFields(item) ? [{ fields: item, place: own }] : (losses.error(own, wrongType('an object', item)) ?? [])
  })
}
