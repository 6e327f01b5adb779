import page from "./page.css?text";
import views from "./views.css?text";

/** The rules of the views follow, and change, those of every page. */
export const STYLESHEET = `${page}\n${views}`;
