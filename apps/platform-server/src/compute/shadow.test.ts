import { expect, test } from 'vitest'
import { shadowed } from './shadow.ts'

/** The comparison of a shadow when a contract refuses the input. */

const document = (mode: string | undefined, condition = 'true') =>
  JSON.stringify({
    config: {
      name: 'loan',
      entry_step: 'check',
      ...(mode !== undefined && {
        contract: {
          mode,
          contract: {
            name: 'loan',
            version: '1.0.0',
            input: { fields: [{ name: 'age', type: 'integer', required: true }] },
            outputs: [],
          },
        },
      }),
    },
    steps: {
      check: {
        id: 'check',
        type: 'decision',
        branches: [{ condition, next_step: 'yes' }],
        default_next: 'yes',
      },
      yes: { id: 'yes', type: 'terminal', result: { code: 'YES', message: '' } },
    },
  })

const told = (value: unknown) => ({ bytes: Buffer.from(JSON.stringify(value)), coding: undefined })

const DECIDED = { status: 200, body: { code: 'YES', message: '', output: {} } }
const refusing = (...paths: readonly string[]) => ({
  status: 400,
  body: {
    error: 'the input breaks the contract',
    code: 'INVALID_INPUT',
    details: paths.map((path) => ({ path, code: 'required', message: 'm', expected: 'e', found: 'secret' })),
  },
})
const FAILED = { status: 422, body: { error: 'e', code: 'EXECUTION_ERROR' } }
const AGE = { refused: [{ path: '/input/age', code: 'required' }] }

test.each<[title: string, mode: string | undefined, live: typeof DECIDED | typeof FAILED, expected: object]>([
  [
    'a candidate that refuses what is decided',
    'enforce',
    DECIDED,
    { changed: true, from: 'YES', to: 'error:INVALID_INPUT', example: { live: DECIDED.body, candidate: AGE } },
  ],
  ['a candidate that only warns', 'warn', DECIDED, { changed: false, from: 'YES', to: 'YES' }],
  [
    'a candidate that decides what is refused',
    undefined,
    refusing('/input/age', '/input/name'),
    {
      changed: true,
      from: 'error:INVALID_INPUT',
      to: 'YES',
      example: {
        live: { refused: [...AGE.refused, { path: '/input/name', code: 'required' }] },
        candidate: DECIDED.body,
      },
    },
  ],
  [
    'both refuse, for other reasons',
    'enforce',
    refusing('/input/name'),
    { changed: false, from: 'error:INVALID_INPUT', to: 'error:INVALID_INPUT' },
  ],
  [
    'a candidate that refuses what has failed',
    'enforce',
    FAILED,
    { changed: true, from: null, to: 'error:INVALID_INPUT', example: { live: null, candidate: AGE } },
  ],
])('%s', async (title, mode, { status, body }, { example, ...expected }: { readonly example?: object }) => {
  const result = await shadowed({
    kind: 'shadow',
    digest: title,
    document: document(mode),
    request: told({ input: { other: 1 } }),
    answer: { ...told(body), status },
    mask: [],
  })
  const { example: text, ...rest } = result as { readonly example?: string }
  expect(rest).toEqual({ kind: 'compared', ...expected })
  expect(text === undefined ? undefined : JSON.parse(text)).toEqual(
    example === undefined ? undefined : { input: { other: 1 }, ...example },
  )
})

test('an input that one refuses and the other fails on differs', async () => {
  const result = await shadowed({
    kind: 'shadow',
    digest: 'failing',
    document: document(undefined, '1 / 0 == 1'),
    request: told({ input: {} }),
    answer: { ...told(refusing('/input/age').body), status: 400 },
    mask: [],
  })
  expect(result).toMatchObject({ changed: true, from: 'error:INVALID_INPUT', to: null })
})
