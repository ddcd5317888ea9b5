import { filled, type PlatformRow, repeated } from './row.ts'

const SIZE = 1_000_000

/** Bodies of 1 MB that cost most for their size, whatever the route. */
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
}

/** Every operation of the description with a body takes shapes in turn; every other one is asked 60 times at once. */
export function shapesOf(description: {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}): readonly PlatformRow[] {
  let turn = 0
  return Object.entries(description.paths)
    .filter(([path]) => !/events|logout|internal|\/engine\/|\/mcp|healthz|openapi/.test(path))
    .flatMap(([path, operations]) =>
      Object.entries(operations)
        .filter(([method]) => ['get', 'post', 'put'].includes(method))
        .map(([verb, { requestBody }]): PlatformRow => {
          const method = verb.toUpperCase()
          if (requestBody === undefined)
            return { name: `60 of ${method} ${path}`, request: () => ({ method, path }), times: 60 }
          const shape = NAMES[turn++ % NAMES.length] ?? ''
          return {
            name: `${method} ${path}: ${shape}`,
            request: () => ({ method, path, body: SHAPES[shape]?.() ?? '' }),
            times: 3,
          }
        }),
    )
}
