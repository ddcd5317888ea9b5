import { DecisionReceipt, ErrorBody, ReceiptCheckpoints, ReceiptKeys } from '@engine/api'
import { json } from '@engine/http-server'
import { EngineError, failures, quoted } from '../../errors.ts'
import { API, Empty, type Route, type RouteRequest, text } from '../route.ts'

const common = { group: 'Receipts', writes: false } as const
const one = { ...common, path: `${API}/receipts/:instance/:entry`, isServerWide: false } as const

/** Only with `--receipts`. */
export const RECEIPT_ROUTES: readonly Route[] = [
  {
    ...one,
    method: 'GET',
    scope: 'read',
    summary: 'Get the receipt of a decision, with the scope `admin` including its stored evidence',
    answers: { 200: DecisionReceipt, 409: ErrorBody },
    async handle(request) {
      const { instance, entry } = placeOf(request)
      return text(200, await receiptsOf(request).text(instance, entry, request.isAdmin()))
    },
  },
  {
    ...one,
    path: `${one.path}/evidence`,
    method: 'DELETE',
    scope: 'admin',
    summary: 'Erase the stored evidence of a decision: its receipt still holds',
    answers: { 204: Empty, 409: ErrorBody },
    async handle(request) {
      const { instance, entry } = placeOf(request)
      await receiptsOf(request).erase(instance, entry)
      return { status: 204 }
    },
  },
  {
    ...common,
    path: `${API}/receipts/checkpoint`,
    method: 'GET',
    scope: 'read',
    isServerWide: true,
    summary: 'Get the latest checkpoint of each chain of receipts, for witnesses',
    answers: { 200: ReceiptCheckpoints },
    handle: async ({ server }) => json(200, { checkpoints: await directoryOf(server).checkpoints() }),
  },
  {
    ...common,
    path: `${API}/receipts/keys`,
    method: 'GET',
    scope: 'read',
    isServerWide: true,
    summary: 'List the public keys that signed receipts here: a convenience, trust needs another source',
    answers: { 200: ReceiptKeys },
    handle: async ({ server }) => json(200, { keys: await directoryOf(server).keys() }),
  },
]

function receiptsOf({ services: { receipts } }: RouteRequest) {
  if (receipts === undefined) throw failures.receiptsOff()
  return receipts
}

function directoryOf({ receipts }: RouteRequest['server']) {
  if (receipts === undefined) throw failures.receiptsOff()
  return receipts
}

/** Throws `EngineError`. */
function placeOf({ params }: RouteRequest): { readonly instance: string; readonly entry: number } {
  const { instance = '', entry = '' } = params
  const number = Number(entry)
  if (/^\d{1,16}$/.test(entry) && Number.isSafeInteger(number)) return { instance, entry: number }
  throw new EngineError('invalid-request', `the receipt ${quoted(entry)} must be a whole number from 0 on`)
}
