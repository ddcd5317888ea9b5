import { DeliverPolicy, JetStreamApiCodes, JetStreamApiError, type JsMsg, type StreamInfo } from '@nats-io/jetstream'
import { NoRespondersError, RequestError } from '@nats-io/transport-node'
import { describe, expect, test } from 'vitest'
import { StateConflict, StoreRefusal } from './broker.ts'
import {
  beginningAt,
  conflictOf,
  covers,
  hasNoResponders,
  hasOthers,
  incoming,
  inCopies,
  orNothing,
  refusalOf,
  REVISION,
  sizeLimit,
  staleReplicasOf,
} from './jetstream-answers.ts'

const apiError = (err_code: number, description = 'no') => new JetStreamApiError({ code: 400, err_code, description })

test.each([
  ['the first event', 'first', { deliver_policy: DeliverPolicy.All }],
  ['the next event', 'next', { deliver_policy: DeliverPolicy.New }],
  ['a number', 7, { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: 7 }],
] as const)('a consumer begins at %s', (_, from, begin) => {
  expect(beginningAt(from)).toEqual(begin)
})

describe('a write of the state', () => {
  test.each([
    ['that was overtaken is a conflict', apiError(JetStreamApiCodes.StreamWrongLastSequence), true],
    ['that was overtaken by an unknown one, too', apiError(JetStreamApiCodes.StreamWrongLastSequenceUnknown), true],
    ['that a stream refuses for another reason is none', apiError(JetStreamApiCodes.StreamNotFound), false],
    ['that was not answered is none', new Error('timeout'), false],
  ])('%s', (_, error, isConflict) => {
    expect(conflictOf(error) instanceof StateConflict).toBe(isConflict)
  })

  test.each([
    ['that cannot be stored is a refusal', apiError(10_077, 'stream store failed: bad checksum'), true],
    ['that finds the storage full is none', apiError(10_077, 'maximum bytes exceeded'), false],
    ['that finds the account full is none', apiError(10_077, 'Insufficient storage'), false],
    ['that finds the disk full is none', apiError(10_077, 'no space left on device'), false],
    ['that is too large is none', apiError(10_077, 'message is too large'), false],
    ['that finds the quota used is none', apiError(10_077, 'Disk quota'), false],
    ['with another error code is none', apiError(10_023, 'bad checksum'), false],
    ['that was not answered is none', new Error('timeout'), false],
  ])('%s', (_, error, isRefusal) => {
    const found = refusalOf('state', error)
    if (isRefusal) expect(found).toMatchObject({ what: 'state', message: error.message, cause: error })
    else expect(found).toBe(error)
    expect(found instanceof StoreRefusal).toBe(isRefusal)
  })
})

test.each([
  [
    'without a stream for the subject',
    new Error('x', { cause: new RequestError('y', { cause: new NoRespondersError('s') }) }),
    true,
  ],
  ['that was late', new Error('x', { cause: new RequestError('y', { cause: new Error('timeout') }) }), false],
  ['that failed otherwise', new Error('x', { cause: new NoRespondersError('s') }), false],
  ['without a cause', new Error('x'), false],
])('a request %s', (_, error, isUnheard) => {
  expect(hasNoResponders(error)).toBe(isUnheard)
})

describe('a message', () => {
  function message(headers: Readonly<Record<string, string>> | undefined) {
    const done: unknown[] = []
    const received = {
      seq: 5,
      data: new Uint8Array([1]),
      redelivered: true,
      info: { pending: 3 },
      headers: headers && { get: (name: string) => headers[name] ?? '' },
      ack: () => done.push('ack'),
      nak: (milliseconds: number) => done.push(milliseconds),
    } as unknown as JsMsg
    return { done, read: incoming(received, 'rules.fee') }
  }

  test.each([
    ['with the revision in its header', { [REVISION]: '12' }, 12],
    ['of revision 0', { [REVISION]: '0' }, 0],
    ['without the header', {}, undefined],
    ['without headers', undefined, undefined],
  ])('%s is read', (_, headers, revision) => {
    expect(message(headers).read).toMatchObject({
      seq: 5,
      subject: 'rules.fee',
      revision,
      payload: new Uint8Array([1]),
      pending: 3,
      isRedelivered: true,
    })
  })

  test('is acknowledged, or comes again after a second', () => {
    const { done, read } = message({})
    read.ack()
    read.retry()
    expect(done).toEqual(['ack', 1000])
  })
})

describe('a request for something', () => {
  test.each([
    ['that is there answers with it', () => Promise.resolve('it'), 1, 'it'],
    ['that is missing answers with nothing', () => Promise.reject(apiError(2)), 2, undefined],
    ['that is missing in one of several ways, too', () => Promise.reject(apiError(3)), [2, 3], undefined],
  ])('%s', async (_, request, missing, found) => {
    expect(await orNothing<string>(missing, request())).toBe(found)
  })

  test.each([
    ['another error of the broker', apiError(4)],
    ['an error of the connection', new Error('timeout')],
  ])('rejects with %s', async (_, error) => {
    await expect(orNothing([2, 3], Promise.reject(error))).rejects.toBe(error)
  })
})

describe('a stream', () => {
  test.each([
    ['in a broker with enough servers has all copies', 3, [], 3],
    ['in a broker without a cluster has one', 3, [10_074], 1],
    ['in a cluster with too few servers has one', 3, [10_005], 1],
    ['in a cluster with too little room has one', 3, [10_023], 1],
  ])('%s', async (_, copies, codes, made) => {
    const left = codes.map((code) => apiError(code))
    const make = async (count: number) => {
      const error = left.shift()
      if (error !== undefined) throw error
      return count
    }
    expect(await inCopies(copies, make)).toBe(made)
  })

  test.each([
    ['of one copy is not made again', 1, apiError(10_074)],
    ['that the broker refuses for another reason is not made with less', 3, apiError(10_058)],
    ['that the connection loses is not made with less', 3, new Error('timeout')],
  ])('%s', async (_, copies, error) => {
    const asked: number[] = []
    const make = async (count: number): Promise<void> => {
      asked.push(count)
      throw error
    }
    await expect(inCopies(copies, make)).rejects.toBe(error)
    expect(asked).toEqual([copies])
  })

  test('names the replicas that are behind or offline', () => {
    const replica = (name: string, current: boolean, offline?: boolean) => ({ name, current, offline })
    const replicas = [replica('a', true), replica('b', false), replica('c', true, true), replica('d', true, false)]
    const info = (cluster: object | undefined) => ({ config: { name: 'rules' }, cluster }) as unknown as StreamInfo
    expect(staleReplicasOf(info({ replicas }))).toEqual(['`rules` on `b`', '`rules` on `c`'])
    expect(staleReplicasOf(info({}))).toEqual([])
    expect(staleReplicasOf(info(undefined))).toEqual([])
  })

  test.each([
    ['with own subjects alone', { 'eu.rules.fee': 1, 'eu.rules.toll': 2 }, false],
    ['with one of another fleet', { 'eu.rules.fee': 1, 'us.rules.fee': 1 }, true],
    ['with one of a fleet whose name begins alike', { 'europe.rules.fee': 1 }, true],
    ['that is empty', {}, false],
    ['whose subjects are not listed', undefined, false],
  ])('%s has those of others or not', (_, subjects, isShared) => {
    expect(hasOthers(subjects, 'eu.')).toBe(isShared)
  })

  test.each([
    [undefined, Infinity],
    [-1, Infinity],
    [0, Infinity],
    [1, 1],
    [65_536, 65_536],
  ])('with the largest message %s takes %d bytes', (size, bytes) => {
    expect(sizeLimit(size)).toBe(bytes)
  })

  test.each([
    ['eu.rules.>', true],
    ['eu.>', true],
    ['>', true],
    ['us.>', false],
    ['eu.rules', false],
    ['eu.rules.fee.>', false],
    ['eu.ru.>', false],
    ['eu.rules.fee', false],
    ['e>', false],
  ])('with the subject %s covers `eu.rules.>`: %s', (subject, isCovered) => {
    expect(covers(subject, 'eu.rules.>')).toBe(isCovered)
  })
})
