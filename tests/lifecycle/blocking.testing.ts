import { runServer } from '../../apps/engine-server/src/index.ts'

/** A program with a capability that blocks the event loop, as no rule should be able to. */
await runServer(process.argv.slice(2), process.env, {
  capabilities: [
    {
      name: 'test.loop',
      operations: ['block'],
      call: async ({ payload }) => {
        const { seconds } = payload as { seconds: number }
        // As a loop does, without its processor time.
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, seconds * 1000)
        return { payload: {}, metadata: {} }
      },
    },
  ],
})
