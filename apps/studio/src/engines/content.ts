import type { components } from '../api/schema.ts'

type Server = components['schemas']['Server']
type Content = Pick<Server, 'id' | 'current_rulesets'>

/** A key of the contents of an engine: equal contents have equal keys. */
const contentOf = ({ current_rulesets: rulesets }: Content): string =>
  rulesets
    .map(({ tenant, name, digest }) => `${tenant ?? ''} ${name} ${digest}`)
    .toSorted()
    .join('\n')

/** By engine id, the number of other engines with the same contents. Engines without contents are omitted. */
export function othersAlike(servers: readonly Content[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  const contents = servers.map((server) => ({ id: server.id, content: contentOf(server) }))
  for (const { content } of contents) counts.set(content, (counts.get(content) ?? 0) + 1)
  return new Map(
    contents.flatMap(({ id, content }) => (content === '' ? [] : [[id, (counts.get(content) ?? 1) - 1] as const])),
  )
}
