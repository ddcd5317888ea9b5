/** A value that is usually available synchronously. */
export type Awaitable<T> = T | Promise<T>

/** Maps an awaitable, synchronously when possible: a promise costs more than most responses. */
export function whenThere<In, Out>(value: Awaitable<In>, next: (value: In) => Awaitable<Out>): Awaitable<Out> {
  return value instanceof Promise ? value.then(next) : next(value)
}
