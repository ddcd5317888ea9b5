import { Agent, request as httpRequest } from 'node:http'
import { isDeepStrictEqual } from 'node:util'
import { engineClient, type TestClient } from '../grpc/client.testing.ts'

interface Answer {
  readonly status: number
  readonly text: string
}

/** Counters of a server: its sum over all labels. */
export interface Counters {
  readonly http: number
  readonly grpc: number
  readonly executions: number
}

/** Rulesets that are stored, replaced and deleted. */
const NAMES = ['life-0', 'life-1', 'life-2', 'life-3'] as const

const rulesetOf = (name: string, version: string) => ({
  config: { name, version, entry_step: 'check' },
  steps: {
    check: {
      id: 'check',
      type: 'decision',
      branches: [{ condition: 'amount > 100', next_step: 'high' }],
      default_next: 'low',
    },
    high: { id: 'high', type: 'terminal', result: { code: 'HIGH', message: '', output: [['twice', 'amount * 2']] } },
    low: { id: 'low', type: 'terminal', result: { code: 'LOW', message: '' } },
  },
})

const JSON_TYPE = 'application/json'
const EXECUTE = '/api/v1/execute/life-0'

/** Requests of every kind to one engine, whose state is afterwards that of before. Throws for an unexpected answer. */
export class MixedRequests {
  readonly #url: URL
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 16 })
  readonly #grpc: TestClient
  #sent: Counters = { http: 0, grpc: 0, executions: 0 }

  constructor(url: string, grpc: string) {
    this.#url = new URL(url)
    this.#grpc = engineClient(grpc)
  }

  /** The counts that the server should have added since the start. */
  get sent(): Counters {
    return this.#sent
  }

  /** Stores the rulesets. */
  async prepare(): Promise<void> {
    for (const name of NAMES) await this.#store(name, '1.0.0')
  }

  /** Sends requests with these numbers, some at a time. */
  async send(from: number, to: number): Promise<void> {
    let next = from
    const worker = async () => {
      while (next < to) await this.#sendOne(next++)
    }
    await Promise.all(Array.from({ length: 8 }, worker))
  }

  /** The answers by which a server is compared with itself. */
  async answers(): Promise<readonly string[]> {
    const paths = ['/api/v1/rulesets', ...NAMES.map((name) => `/api/v1/rulesets/${name}`)]
    const found: string[] = []
    for (const path of paths) found.push((await this.#ask('GET', path)).text)
    for (const amount of [1, 1000]) {
      const { text } = await this.#ask('POST', EXECUTE, JSON.stringify({ input: { amount } }))
      found.push(text.replace(/"duration_us":\d+/, ''))
      this.#count({ executions: 1 })
    }
    return found
  }

  /** Sums of the server's counters. */
  async counters(): Promise<Counters> {
    const { text } = await this.#ask('GET', '/metrics')
    const sum = (name: string) =>
      text
        .split('\n')
        .filter((line) => line.startsWith(`${name}{`))
        .reduce((total, line) => total + Number(line.slice(line.lastIndexOf(' '))), 0)
    return {
      http: sum('engine_http_requests_total'),
      grpc: sum('engine_grpc_calls_total'),
      executions: sum('engine_executions_total'),
    }
  }

  close(): void {
    this.#agent.destroy()
    this.#grpc.close()
  }

  async #sendOne(number: number): Promise<void> {
    const amount = number % 200
    const body = (value: unknown) => JSON.stringify(value)
    const code = amount > 100 ? 'HIGH' : 'LOW'
    switch (number % 20) {
      case 0:
      case 1:
      case 2:
      case 3:
      case 4: {
        this.#count({ executions: 1 })
        return expected(await this.#ask('POST', EXECUTE, body({ input: { amount } })), 200, { code })
      }
      case 5: {
        this.#count({ executions: 1 })
        const reply = await this.#ask('POST', EXECUTE, body({ input: { amount }, trace: true }))
        return expected(reply, 200, { code })
      }
      case 6: {
        this.#count({ executions: 1 })
        return expected(await this.#ask('POST', EXECUTE, body({ input: { amount: 'text' } })), 500)
      }
      case 7: {
        this.#count({ executions: 3 })
        const inputs = [{ amount }, { amount: 'text' }, { amount: 500 }]
        return expected(await this.#ask('POST', `${EXECUTE}/batch`, body({ inputs })), 200)
      }
      case 8: {
        this.#count({ executions: 2 })
        const lines = `{"amount": ${amount}}\nno json\n{"amount": 7}\n`
        return expected(await this.#ask('POST', `${EXECUTE}/batch`, lines, 'application/x-ndjson'), 200)
      }
      case 9:
        // Another text each time, which a cache of compiled expressions may not keep for good.
        return expected(await this.#ask('POST', '/api/v1/eval', body({ expression: `${number} + 1` })), 200, {
          result: number + 1,
        })
      case 10:
        return expected(await this.#ask('POST', '/api/v1/eval', body({ expression: `${number} +` })), 400)
      case 11:
        return expected(await this.#ask('POST', EXECUTE, '{"input": '), 400)
      case 12:
        return expected(await this.#ask('GET', `/api/v1/rulesets/gone-${number}`), 404)
      case 13:
        return this.#store(NAMES[1 + (number % 3)] ?? NAMES[1], `1.${number}.0`)
      case 14: {
        const request = { known_input: { other: number }, target_results: ['HIGH'] }
        return expected(await this.#ask('POST', '/api/v1/rulesets/life-0/filter', body(request)), 200)
      }
      case 15:
        return expected(await this.#ask('GET', number % 40 === 15 ? '/metrics' : '/health'), 200)
      case 16: {
        this.#count({ grpc: 1, executions: 1 })
        const reply = await this.#grpc.call('Execute', { name: 'life-0', input_json: body({ amount }) })
        if ('message' in reply && reply.message.code === code) return
        throw new Error(`Execute: ${JSON.stringify(reply)}`)
      }
      case 17: {
        this.#count({ grpc: 1 })
        const reply = await this.#grpc.call('Execute', { name: `gone-${number}`, input_json: '{}' })
        if ('code' in reply && reply.code === 5) return
        throw new Error(`Execute of nothing: ${JSON.stringify(reply)}`)
      }
      case 18: {
        const name = `passing-${number}`
        await this.#store(name, '1.0.0')
        // The series of a deleted ruleset are deleted with it.
        const path = `/api/v1/execute/${name}`
        expected(await this.#ask('POST', path, body({ input: { amount } })), 200, { code })
        return expected(await this.#ask('DELETE', `/api/v1/rulesets/${name}`), 204)
      }
      default:
        return expected(await this.#ask('POST', '/api/v1/rulesets/validate', body(rulesetOf('x', 'y'))), 200)
    }
  }

  async #store(name: string, version: string): Promise<void> {
    const { status, text } = await this.#ask('POST', '/api/v1/rulesets', JSON.stringify(rulesetOf(name, version)))
    if (status !== 200 && status !== 201) throw new Error(`${name} was not stored: ${status} ${text}`)
  }

  #count(more: Partial<Counters>): void {
    const { http, grpc, executions } = this.#sent
    this.#sent = {
      http: http + (more.http ?? 0),
      grpc: grpc + (more.grpc ?? 0),
      executions: executions + (more.executions ?? 0),
    }
  }

  #ask(method: string, path: string, body?: string, type = JSON_TYPE): Promise<Answer> {
    this.#count({ http: 1 })
    return new Promise((resolve, reject) => {
      const { hostname, port } = this.#url
      const headers = body === undefined ? {} : { 'content-type': type, 'content-length': Buffer.byteLength(body) }
      const request = httpRequest({ agent: this.#agent, hostname, port, method, path, headers }, (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk: string) => (text += chunk))
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
        response.on('error', reject)
      })
      request.on('error', reject)
      request.end(body)
    })
  }
}

function expected({ status, text }: Answer, wanted: number, members: { readonly [name: string]: unknown } = {}): void {
  const isCompared = wanted === 200 && Object.keys(members).length > 0
  const body = isCompared ? (JSON.parse(text) as Record<string, unknown>) : {}
  const isRight = Object.entries(members).every(([name, value]) => isDeepStrictEqual(body[name], value))
  if (status !== wanted || !isRight) throw new Error(`expected ${wanted}, found ${status}: ${text.slice(0, 300)}`)
}
