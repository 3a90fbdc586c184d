// A page that waits: asks our own origin how far the person is, and goes on when that changed. What surprises: the page
// also says Refresh, for browsers that run no script; stop() takes that back. Nothing moves while the page is in use.
;(() => {
  const { go, seen, often, left, news } = document.currentScript.dataset
  const seldom = Date.now() + often * 1000
  const over = Date.now() + left * 1000
  let isOver = false

  const isUsed = () => {
    const active = document.activeElement
    const isFocused = active !== null && active !== document.body && !active.hasAttribute('autofocus')
    return isFocused || document.querySelector('details[open]') !== null || String(getSelection()) !== ''
  }

  /** There is nothing left to stop: its control shows the news. */
  function tell() {
    const control = document.getElementById('control')
    control.href = control.dataset.href
    control.textContent = control.dataset.label
    document.getElementById('news').textContent = news
  }

  /** Where the page is in use, it says that there is news and waits until it is not. */
  function goOn() {
    if (!isUsed()) return location.replace(go)
    if (!isOver) tell()
    isOver = true
    setTimeout(goOn, 2000)
  }

  async function ask() {
    const response = await fetch('/api/status', { headers: { accept: 'application/json' } })
    if (response.status === 401) return true
    if (!response.ok) return false
    const { connected, pending, skipped } = await response.json()
    return [connected, pending, skipped].join(' ') !== seen
  }

  async function look() {
    if (document.hidden) return next()
    if (Date.now() >= over || (await ask().catch(() => false))) return goOn()
    next()
  }

  function next() {
    const pause = Date.now() < seldom ? 5_000 : 30_000
    const left = over - Date.now()
    setTimeout(look, left > 0 ? Math.min(pause, left) : pause)
  }

  addEventListener('load', () => {
    stop()
    next()
  })
})()
