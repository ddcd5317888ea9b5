/** A value that is there at once in most cases, and has to be waited for in others. */
export type Awaitable<T> = T | Promise<T>

/** What is made of a value, at once where it is there: a promise costs more than most answers. */
export function whenThere<In, Out>(value: Awaitable<In>, next: (value: In) => Awaitable<Out>): Awaitable<Out> {
  return value instanceof Promise ? value.then(next) : next(value)
}
