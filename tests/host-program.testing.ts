import { runServer } from '../apps/engine-server/src/index.ts'

/** A program that brings a separate capability, as docs/capabilities.md shows. */
await runServer(process.argv.slice(2), process.env, {
  capabilities: [
    {
      name: 'team.scores',
      operations: ['lookup'],
      call: async ({ payload }) => ({ payload: { ...payload, score: 720 }, metadata: { from: 'host program' } }),
    },
  ],
})
