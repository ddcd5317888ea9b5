/**
 * The exact probability of at least `least` successes in `trials` of probability `p`. Sums from the largest term of the
 * tail until a term no longer contributes: O(√trials) terms.
 */
export function upperTail(trials: number, p: number, least: number): number {
  if (least <= 0) return 1
  if (least > trials) return 0
  if (p >= 1) return 1
  // Terms decrease beyond the mean; below it, the complement is summed.
  if (least <= trials * p) return 1 - lowerTail(trials, p, least - 1)
  let term = Math.exp(logTerm(trials, p, least))
  let total = 0
  for (let count = least; count <= trials && term > total * 1e-17; count++) {
    total += term
    term *= (((trials - count) / (count + 1)) * p) / (1 - p)
  }
  return Math.min(1, total)
}

function lowerTail(trials: number, p: number, most: number): number {
  let term = Math.exp(logTerm(trials, p, most))
  let total = 0
  for (let count = most; count >= 0 && term > total * 1e-17; count--) {
    total += term
    term *= ((count / (trials - count + 1)) * (1 - p)) / p
  }
  return Math.min(1, total)
}

function logTerm(trials: number, p: number, count: number): number {
  const choose = logFactorial(trials) - logFactorial(count) - logFactorial(trials - count)
  return choose + count * Math.log(p) + (trials - count) * Math.log1p(-p)
}

/** Factorials below this are multiplied; from here on, Stirling's series is exact to 1e-13. */
const MIN_STIRLING = 32

function logFactorial(n: number): number {
  if (n < MIN_STIRLING) {
    let product = 1
    for (let factor = 2; factor <= n; factor++) product *= factor
    return Math.log(product)
  }
  const series = 1 / (12 * n) - 1 / (360 * n ** 3) + 1 / (1260 * n ** 5)
  return n * Math.log(n) - n + 0.5 * Math.log(2 * Math.PI * n) + series
}
