import { filled, type PlatformRow, repeated } from './row.ts'

const SIZE = 1_000_000

/** Bodies of 1 MB that cost most for their size, regardless of the route. */
const SHAPES: Readonly<Record<string, () => string>> = {
  'a list of {}': () => `[${filled(SIZE, '{},')}{}]`,
  'a wide list in a member': () => `{"name":[${filled(SIZE, '1,')}1]}`,
  'lists 100 deep': () => `{"name":[${filled(SIZE, `${'['.repeat(100)}${']'.repeat(100)},`)}1]}`,
  'nesting without an end': () => filled(SIZE, '{"a":['),
  'many keys': () => `{${repeated(70_000, (at) => `"key${at}":1`)}}`,
  'a long text': () => `{"name":"${filled(SIZE - 100, 'x')}","title":"${'y'.repeat(50)}"}`,
  'odd characters': () => `{"name":"${filled(SIZE - 100, '\\ud83d\\ude00')}"}`,
  'half surrogate pairs': () => `{"name":"${filled(SIZE - 100, '\\ud83d')}"}`,
  digits: () => `{"name":${filled(SIZE - 100, '9')}}`,
}
const NAMES = Object.keys(SHAPES)

interface Operation {
  readonly requestBody?: unknown
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>
}

/** Milliseconds for which streams of events are read. */
const READ_FOR = 500

/**
 * Every operation of the description except signing out, which would end the session of the others: one with a body
 * receives each shape in turn, every other one gets 60 concurrent requests.
 */
export function shapesOf(description: {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}): readonly PlatformRow[] {
  let turn = 0
  return Object.entries(description.paths)
    .filter(([path]) => !path.endsWith('/auth/logout'))
    .flatMap(([path, operations]) =>
      Object.entries(operations).map(([verb, { requestBody, responses }]): PlatformRow => {
        const method = verb.toUpperCase()
        const by = path.includes('/internal/') ? 'engine' : path.endsWith('/mcp') ? 'key' : 'session'
        const isStream = Object.values(responses).some(({ content = {} }) => 'text/event-stream' in content)
        if (requestBody === undefined)
          return {
            name: `60 of ${method} ${path}`,
            request: () => ({ method, path, by, ...(isStream && { cutAfter: READ_FOR }) }),
            times: 60,
          }
        const shape = NAMES[turn++ % NAMES.length] ?? ''
        return {
          name: `${method} ${path}: ${shape}`,
          request: () => ({ method, path, by, body: SHAPES[shape]?.() ?? '' }),
          times: 3,
        }
      }),
    )
}
