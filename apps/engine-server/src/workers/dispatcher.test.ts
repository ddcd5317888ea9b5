import type { Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { createDispatcher } from './dispatcher.ts'
import type { WorkerHandle } from './worker-handle.ts'

interface Load {
  readonly unanswered?: number
  readonly connections?: number
}

/** A dispatcher over workers with this load, and the places of their connections by worker. */
function dispatching(...loads: readonly Load[]) {
  const asked: string[] = []
  const workers = loads.map(({ unanswered = 0, connections = 0 }, index) => ({
    unanswered,
    connections,
    turn: 0,
    answer: '' as string | undefined,
    async ask({ place }: { readonly place: string }) {
      asked.push(`${index} ${place}`)
      return this.answer
    },
  }))
  const ready = { list: workers }
  const dispatcher = createDispatcher(() => [...ready.list] as unknown as WorkerHandle[])
  return { dispatcher, workers, ready, asked }
}

/** A connection, and whether it was closed here. */
function connection() {
  const state = { isClosed: false }
  return { state, socket: { destroy: () => (state.isClosed = true) } as unknown as Socket }
}

describe('a connection goes to the worker', () => {
  test.each<[title: string, loads: readonly Load[], worker: string]>([
    ['that owes the fewest answers', [{ unanswered: 2 }, { unanswered: 1, connections: 9 }], '1 http'],
    ['with the fewest connections of these', [{ connections: 3 }, { connections: 2 }], '1 http'],
    ['that comes first where all are alike', [{}, {}], '0 http'],
  ])('%s', (_title, loads, worker) => {
    const { dispatcher, asked } = dispatching(...loads)
    dispatcher.dispatch(connection().socket, 'http')
    expect(asked).toEqual([worker])
  })

  test('whose turn it is where all are alike: one after the other', () => {
    const { dispatcher, workers, asked } = dispatching({}, {}, {})
    for (let count = 0; count < 4; count++) {
      dispatcher.dispatch(connection().socket, 'grpc')
      for (const worker of workers) worker.connections = 0
    }
    expect(asked).toEqual(['0 grpc', '1 grpc', '2 grpc', '0 grpc'])
  })
})

test('a connection that a worker has is closed here, and counts for the worker', async () => {
  const { dispatcher, workers } = dispatching({})
  const { state, socket } = connection()
  dispatcher.dispatch(socket, 'http')
  expect([workers[0]?.connections, state.isClosed]).toEqual([1, false])
  await setImmediate()
  expect(state.isClosed).toBe(true)
})

test('a connection goes to another worker when the first one is gone', async () => {
  const { dispatcher, workers, ready, asked } = dispatching({}, { connections: 5 })
  const { state, socket } = connection()
  const [first] = workers
  if (first !== undefined) first.answer = undefined
  dispatcher.dispatch(socket, 'socket')
  ready.list = workers.slice(1)
  await setImmediate()
  expect([asked, state.isClosed]).toEqual([['0 socket', '1 socket'], true])
})

test('connections wait while no worker is ready, and go on in their order', async () => {
  const { dispatcher, workers, ready, asked } = dispatching({})
  ready.list = []
  const places = ['http', 'grpc', 'socket'] as const
  for (const place of places) dispatcher.dispatch(connection().socket, place)
  expect([dispatcher.kept, asked]).toEqual([3, []])
  ready.list = workers
  dispatcher.dispatchKept()
  expect([dispatcher.kept, asked]).toEqual([0, ['0 http', '0 grpc', '0 socket']])
})

test('at the end waiting and later connections are closed', () => {
  const { dispatcher, ready, asked } = dispatching({})
  ready.list = []
  const [waiting, later] = [connection(), connection()]
  dispatcher.dispatch(waiting.socket, 'http')
  dispatcher.close()
  dispatcher.dispatch(later.socket, 'http')
  expect([waiting.state.isClosed, later.state.isClosed, dispatcher.kept, asked]).toEqual([true, true, 0, []])
})
