// Before the first paint: a dark page does not flash white.
try {
  const chosen = localStorage.getItem('studio.theme')
  const isDark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light'
} catch {
  document.documentElement.dataset.theme = 'light'
}
