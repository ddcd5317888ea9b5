// Stores a ruleset, decides about one input and about two, and shows an error: by fetch.
import { readFile } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'

const url = process.env['ENGINE_URL'] ?? 'http://127.0.0.1:8080'

interface Decision {
  readonly code: string
  readonly output: Readonly<Record<string, unknown>> | null
}

interface Failure {
  readonly error: string
  readonly code: string
  readonly details?: readonly { readonly path: string; readonly message: string; readonly suggestion?: string }[]
}

class EngineError extends Error {
  readonly status: number
  readonly failure: Failure

  constructor(status: number, failure: Failure) {
    super(failure.error)
    this.status = status
    this.failure = failure
  }
}

/** Calls the engine; asked too often, it waits and calls again. */
async function call<T>(path: string, body: string): Promise<T> {
  for (;;) {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${process.env['ENGINE_TOKEN'] ?? ''}`, 'content-type': 'application/json' },
      body,
      signal: AbortSignal.timeout(30_000),
    })
    const seconds = response.headers.get('retry-after')
    const answer: unknown = await response.json()
    if (response.ok) return answer as T
    if (seconds === null) throw new EngineError(response.status, answer as Failure)
    await setTimeout(Number(seconds) * 1000)
  }
}

const ruleset = await readFile(new URL('adult-check.json', import.meta.url), 'utf8')
const { name } = await call<{ readonly name: string }>('/api/v1/rulesets', ruleset)
console.log('stored', name)

const one = await call<Decision>(`/api/v1/execute/${name}`, JSON.stringify({ input: { age: 20 } }))
console.log(one.code, one.output?.['limit'])

const inputs = [{ age: 12 }, { age: 30 }]
const { results } = await call<{ readonly results: readonly Decision[] }>(
  `/api/v1/execute/${name}/batch`,
  JSON.stringify({ inputs }),
)
console.log(...results.map(({ code }) => code))

try {
  await call('/api/v1/eval', JSON.stringify({ expression: 'start_with("Ada", "A")' }))
} catch (error) {
  if (!(error instanceof EngineError)) throw error
  console.log(error.status, error.failure.code, error.failure.details?.[0]?.suggestion)
}
