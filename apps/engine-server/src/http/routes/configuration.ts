import { SampleRate, SampleRateChange, SampleRateRequest } from '@engine/api'
import { json } from '@engine/http-server'
import { type Route, API, read } from '../route.ts'

const sampling = {
  path: `${API}/config/audit-sample-rate`,
  group: 'Configuration',
} as const

/** Settings that change while the server runs. */
export const CONFIGURATION_ROUTES: readonly Route[] = [
  {
    ...sampling,
    method: 'GET',
    scope: 'read',
    writes: false,
    isServerWide: true,
    summary: 'Get the percentage of executions that are audited',
    answers: { 200: SampleRate },
    handle: ({ server }) => json(200, { sample_rate: server.sampleRate.get() }),
  },
  {
    ...sampling,
    method: 'PUT',
    scope: 'admin',
    writes: true,
    isServerWide: true,
    summary: 'Change the percentage of executions that are audited',
    body: SampleRateRequest,
    answers: { 200: SampleRateChange },
    async handle(request) {
      const { sample_rate } = await read<SampleRateRequest>(request, SampleRateRequest)
      return json(200, { sample_rate, previous: await request.server.sampleRate.set(sample_rate, request.by) })
    },
  },
]
