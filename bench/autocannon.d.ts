/** The part of autocannon that is used here; it has no types of its own. */
declare module 'autocannon' {
  interface Options {
    readonly url: string
    readonly method: 'POST'
    readonly body: string
    /** Seconds; or `amount`. */
    readonly duration?: number
    /** Requests. */
    readonly amount?: number
    readonly connections: number
    readonly headers: Readonly<Record<string, string>>
  }
  interface Result {
    readonly requests: { readonly average: number }
    readonly non2xx: number
    readonly errors: number
  }
  export default function autocannon(options: Options): Promise<Result>
}
