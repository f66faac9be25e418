// Follows the table of the page by a watch, and shows the table as it is after each change.
(() => {
	const place = document.getElementById("table");
	const state = document.getElementById("live");
	const wait = (ms) => new Promise((done) => setTimeout(done, ms));
	const say = (text, on) => { if (state) { state.textContent = text; state.className = on ? "on" : ""; } };

	// reload shows the rows as they are now, and marks those that were not there before.
	async function reload() {
		const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
		if (!answer.ok) throw new Error(answer.statusText);
		const next = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("table");
		if (!next.dataset.watch) return location.reload(); // too many rows for one page
		const before = new Set([...place.querySelectorAll("tbody tr")].map((row) => row.textContent));
		for (const row of next.querySelectorAll("tbody tr")) {
			if (!before.has(row.textContent)) row.className = "new";
		}
		place.replaceChildren(...next.children);
		place.dataset.watch = next.dataset.watch;
	}

	// follow reads one watch to its end.
	async function follow(stop) {
		const answer = await fetch(place.dataset.watch, {
			headers: { Accept: "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1, application/json" },
			signal: stop,
		});
		if (!answer.ok) throw new Error(answer.statusText);
		say("live", true);
		const reader = answer.body.getReader();
		let changed = false, loading = false;
		const show = async () => {
			if (loading) return;
			loading = true;
			while (changed) {
				await wait(250); // several changes at once are one
				changed = false;
				await reload().catch(() => say("not live", false));
			}
			loading = false;
		};
		while (!(await reader.read()).done) {
			changed = true;
			show();
		}
	}

	// A page that is not seen gives its connection back: browsers have few of them for one server.
	(async () => {
		for (let pause = 500; ; pause = Math.min(pause * 2, 15000)) {
			while (document.hidden) await wait(500);
			const stop = new AbortController();
			const hide = () => { if (document.hidden) stop.abort(); };
			document.addEventListener("visibilitychange", hide);
			try {
				await follow(stop.signal);
				pause = 500;
			} catch { /* the server is away, or the page was hidden: try again below */ }
			document.removeEventListener("visibilitychange", hide);
			if (!document.hidden) say("reconnecting", false);
			await wait(pause);
			while (document.hidden) await wait(500);
			await reload().catch(() => {});
		}
	})();
})();
