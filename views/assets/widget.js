// <onramp-status> shows an intranet page how many apps a person still has to connect, as a link (the default) or with
// form="compact" or form="card". Without script or sign-in, or while onramp is down, the link inside is unchanged.
;(() => {
  const { texts, brand, onBrand, strong, searchUrl } = 'given by the server'
  const origin = new URL(document.currentScript.src).origin
  const tags = Object.keys(texts)

  const CSS = `
    :host { display: inline; }
    :host([form='card']) { display: block; }
    :host([form='compact']) { display: inline-block; }
    :host([hidden]), [hidden] { display: none !important; }
    .root {
      --b: var(--onramp-brand, light-dark(${brand}));
      --s: var(--onramp-surface, light-dark(#ffffff, #1a1e25));
      --i: var(--onramp-ink, light-dark(#13161c, #eef0f4));
      --q: var(--onramp-quiet, light-dark(#525a68, #abb2c0));
      --l: var(--onramp-line, light-dark(#e0e3e9, #30363f));
      --e: var(--onramp-empty, light-dark(#878f9f, #6f7887));
      --r: var(--onramp-radius, 16px);
      box-sizing: border-box;
      border: 1px solid var(--l);
      background: var(--s);
      color: var(--i);
      font: var(--onramp-font, 400 1rem/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif);
      text-align: start;
    }
    a.root, .root a { text-decoration: none; }
    a:focus-visible { outline: 3px solid var(--b); outline-offset: 2px; }
    .label { font-weight: 600; }
    .figures { color: var(--q); font-size: 0.875em; }
    .progress {
      overflow: hidden;
      border: 1px solid var(--e);
      border-radius: 99px;
      block-size: 8px;
    }
    .bar { display: block; block-size: 100%; inline-size: var(--share); background: var(--b); }
    .card { display: grid; gap: 12px; padding: 24px; border-radius: var(--r); max-inline-size: 24rem; }
    .card .link {
      justify-self: start;
      box-sizing: border-box;
      min-block-size: 48px;
      padding: 12px 20px;
      border-radius: calc(var(--r) / 2);
      background: var(--b);
      color: var(--onramp-on-brand, light-dark(${onBrand}));
      font-weight: 600;
    }
    .card .link:hover { background: var(--onramp-brand, light-dark(${strong})); }
    .done .link { background: none; border: 1px solid var(--e); color: var(--i); }
    .done .link:hover { background: none; border-color: var(--b); }
    .compact {
      display: inline-flex;
      align-items: center;
      gap: 12px;
      min-block-size: 44px;
      padding: 8px 16px;
      border-radius: var(--r);
    }
    .compact:hover { border-color: var(--b); }
    .compact .progress { inline-size: 64px; flex: none; }
    @media (forced-colors: active) {
      .bar { background: Highlight; forced-color-adjust: none; }
      .card .link { border: 1px solid LinkText; }
    }`
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(CSS)

  // All elements of a language share one request, including those added a moment later.
  const FRESH_MS = 10_000
  const responses = new Map()
  const statusIn = (lang) => {
    if (responses.has(lang)) return responses.get(lang)
    setTimeout(() => responses.delete(lang), FRESH_MS)
    const response = fetch(`${origin}/api/status?language=${lang}`, {
      credentials: 'include',
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout(5000),
    }).then((answer) => (answer.ok ? answer.json() : undefined))
    responses.set(lang, response)
    return response
  }

  /** The nearest offered language for this tag: the same one, else one with the same base. */
  const offered = (tag) => {
    const wanted = tag.toLowerCase()
    const [base] = wanted.split('-')
    return (
      tags.find((one) => one.toLowerCase() === wanted) ??
      tags.find((one) => one.toLowerCase().split('-')[0] === base)
    )
  }

  const languageOf = (element) => {
    const said = element.closest('[lang]')?.getAttribute('lang')
    const wanted = [...(said ? [said] : []), ...navigator.languages]
    return wanted.map(offered).find((tag) => tag !== undefined) ?? tags[0]
  }

  /** Creates an element of the shadow tree, whose part is also its class. */
  const made = (name, part, ...children) => {
    const element = document.createElement(name)
    element.className = part
    element.part.add(part)
    element.append(...children)
    return element
  }

  class OnrampStatus extends HTMLElement {
    static observedAttributes = ['form', 'lang', 'data-one', 'data-many', 'data-none']
    #status
    /** The link's own text. */
    #plain

    connectedCallback() {
      if (this.shadowRoot === null) {
        this.attachShadow({ mode: 'open' }).append(document.createElement('slot'))
        this.shadowRoot.adoptedStyleSheets = [sheet]
      }
      const link = this.querySelector('a') ?? this.appendChild(document.createElement('a'))
      if (!link.getAttribute('href'))
        link.href = `${origin}/onboarding?return_to=${encodeURIComponent(location.href)}`
      if (link.textContent.trim() === '') link.textContent = texts[languageOf(this)].title
      this.#plain ??= link.textContent
      return this.load()
    }

    attributeChangedCallback(name) {
      if (this.#status !== undefined) return name === 'lang' ? this.load() : this.show()
    }

    async load() {
      try {
        const status = await statusIn(languageOf(this))
        if (Number.isInteger(status?.pending)) this.#status = status
        this.setAttribute('state', status === undefined ? 'unknown' : 'known')
      } catch {
        this.setAttribute('state', 'unknown')
      }
      this.show()
    }

    show() {
      const link = this.querySelector('a')
      if (this.#status === undefined || link === null) return
      const form = this.getAttribute('form')
      const isDrawn = form === 'card' || form === 'compact'
      const label = this.label()
      this.setAttribute('pending', String(this.#status.pending))
      link.textContent = isDrawn ? this.#plain : label
      link.lang = isDrawn ? '' : this.#status.texts.lang
      this.shadowRoot.querySelector('.root')?.remove()
      this.shadowRoot.querySelector('slot').hidden = isDrawn
      if (isDrawn) this.shadowRoot.append(this.drawn(form, label, link))
    }

    /** Prefers the page's words: data-none, data-one, data-many. */
    label() {
      const { pending, skipped, texts: statusTexts } = this.#status
      const left = pending + skipped
      const own = this.dataset[left === 0 ? 'none' : left === 1 ? 'one' : 'many']
      return own?.replaceAll('{n}', new Intl.NumberFormat(statusTexts.lang).format(left)) ?? statusTexts.left
    }

    drawn(form, label, link) {
      const { connected, pending, skipped } = this.#status
      const { lang, dir, progress: figures } = this.#status.texts
      const { title, search } = texts[languageOf(this)]
      const total = connected + pending + skipped
      const bar = made('span', 'progress', made('span', 'bar'))
      bar.setAttribute('role', 'img')
      bar.setAttribute('aria-label', figures)
      bar.style.setProperty('--share', `${(100 * connected) / total}%`)
      const progress = total === 0 ? [] : [bar]
      const words = made('span', 'label', label)
      const isCard = form === 'card'
      const isDone = pending + skipped === 0
      const root = document.createElement(isCard ? 'div' : 'a')
      if (isCard) {
        const isSearch = isDone && searchUrl !== undefined
        const button = made('a', 'link', isSearch ? search : this.#plain)
        button.href = isSearch ? searchUrl : link.href
        const shown = made('span', 'figures', figures)
        shown.setAttribute('aria-hidden', 'true')
        root.append(words, ...progress, ...(total === 0 ? [] : [shown]), button)
        root.setAttribute('role', 'group')
        root.setAttribute('aria-label', title)
      } else {
        root.href = link.href
        root.part.add('link')
        root.append(words, ...progress)
      }
      root.part.add('card')
      root.className = `root ${form}${isDone && searchUrl === undefined ? ' done' : ''}`
      root.lang = lang
      root.dir = dir
      return root
    }
  }
  if (customElements.get('onramp-status') === undefined) customElements.define('onramp-status', OnrampStatus)
})()
