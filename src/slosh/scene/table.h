// One table per struct: for every key its type, unit, range, default and meaning. The same table
// reads scene files, writes resolved ones, and makes the JSON Schema and the reference, so that
// nothing is said twice.
//
// A *type* (types.h) is a small object with
//     void read(const Cursor&, V&) const;          throws InputError if it cannot
//     Json write(const V&, const WriteMode&) const;
//     Json schema() const;
//     std::string words() const;                   "a number > 0", for messages and the reference
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "slosh/scene/cursor.h"

namespace slosh {

struct WriteMode {
    int dim = 3;
    bool state = false;  ///< Only what decides the states of a simulation, for scene_hash().
};

template <class T>
class Table {
public:
    struct Entry {
        std::string key, unit, doc, words;
        std::string default_text;  ///< Replaces the default in the reference.
        Json schema;
        bool required = false;
        bool state = true;    ///< Part of the hash.
        bool written = true;  ///< Part of resolved scenes (false: another way to write a key).
        bool listed = true;   ///< A key of scene files (false: only in the hash).
        std::function<void(const Cursor&, T&)> read;
        std::function<Json(const T&, const WriteMode&)> write;
    };
    using Check = std::function<void(const Cursor&, T&)>;

    Table(std::string name, std::string doc) : name_(std::move(name)), doc_(std::move(doc)) {}

    template <class V, class Type>
    Table& key(std::string key, V T::*member, Type type, std::string unit, std::string doc) {
        Entry e;
        e.key = std::move(key);
        e.unit = std::move(unit);
        e.doc = std::move(doc);
        e.words = type.words();
        e.schema = type.schema();
        e.read = [=](const Cursor& at, T& out) { type.read(at, out.*member); };
        e.write = [=](const T& from, const WriteMode& mode) {
            return type.write(from.*member, mode);
        };
        entries_.push_back(std::move(e));
        return *this;
    }
    /// A key that `read` handles by itself and that resolved scenes do not have.
    template <class Type>
    Table& special(std::string key, Type type, std::string unit, std::string doc,
                   std::function<void(const Cursor&, T&)> read) {
        Entry e;
        e.key = std::move(key);
        e.unit = std::move(unit);
        e.doc = std::move(doc);
        e.words = type.words();
        e.schema = type.schema();
        e.written = e.state = false;
        e.read = std::move(read);
        entries_.push_back(std::move(e));
        return *this;
    }
    /// All keys of another table, for a member struct whose keys stand at this level.
    template <class S>
    Table& include(const Table<S>& other, S T::*member) {
        for (const auto& o : other.entries()) {
            Entry e;
            e.key = o.key, e.unit = o.unit, e.doc = o.doc, e.words = o.words;
            e.default_text = o.default_text, e.schema = o.schema;
            e.required = o.required, e.state = o.state, e.written = o.written;
            e.listed = o.listed;
            e.read = [read = o.read, member](const Cursor& at, T& out) { read(at, out.*member); };
            e.write = [write = o.write, member](const T& from, const WriteMode& mode) {
                return write(from.*member, mode);
            };
            entries_.push_back(std::move(e));
        }
        return *this;
    }

    // These change the key given last.
    Table& required() { return entries_.back().required = true, *this; }
    Table& not_state() { return entries_.back().state = false, *this; }
    Table& only_state() {
        entries_.back().listed = entries_.back().written = false;
        return *this;
    }
    Table& other_spelling() {
        entries_.back().written = entries_.back().state = false;
        return *this;
    }
    Table& default_text(std::string text) {
        return entries_.back().default_text = std::move(text), *this;
    }
    /// Looks at the struct as a whole, after all its keys were read.
    Table& check(Check check) { return check_ = std::move(check), *this; }
    /// Further members of the table's schema.
    Table& also_schema(std::string key, Json value) {
        return more_schema_.set(std::move(key), std::move(value)), *this;
    }

    const std::string& name() const { return name_; }
    const std::string& doc() const { return doc_; }
    const std::vector<Entry>& entries() const { return entries_; }

    void read(const Cursor& at, T& out) const {
        if (at.json().kind != Json::Kind::Object) at.expected("an object (" + name_ + ")");
        for (const Json::Member& m : at.json().members)
            if (!find(m.key)) at.fail_at_key(m, unknown(m.key));
        for (const Entry& e : entries_) {
            if (!e.listed) continue;
            if (at.has(e.key))
                e.read(at.member(e.key), out);
            else if (e.required)
                at.fail("key \"" + e.key + "\" is missing; it is " + e.words +
                        (e.unit.empty() ? "" : " in " + e.unit));
        }
        if (check_) check_(at, out);
    }

    Json write(const T& from, const WriteMode& mode) const {
        Json j = Json::object();
        for (const Entry& e : entries_) {
            if (!(mode.state ? e.state : e.written)) continue;
            Json value = e.write(from, mode);
            if (value.kind != Json::Kind::Null) j.set(e.key, std::move(value));
        }
        return j;
    }

    Json schema() const {
        Json keys = Json::object(), needed = Json::list();
        const T defaults{};
        for (const Entry& e : entries_) {
            if (!e.listed) continue;
            Json s = e.schema;
            s.set("description", e.doc + (e.unit.empty() ? "" : " Unit: " + e.unit + "."));
            if (e.written && !e.required && e.default_text.empty() && e.write)
                s.set("default", e.write(defaults, {}));
            keys.set(e.key, std::move(s));
            if (e.required) needed.items.push_back(e.key);
        }
        Json j = Json::object();
        j.set("description", doc_);
        j.set("type", "object");
        j.set("properties", std::move(keys));
        if (!needed.items.empty()) j.set("required", std::move(needed));
        j.set("additionalProperties", false);
        for (const Json::Member& m : more_schema_.members) j.set(m.key, m.value);
        return j;
    }

    /// A Markdown table: key, type, unit, default, meaning.
    std::string reference() const {
        std::string out = "| key | value | unit | default | meaning |\n|---|---|---|---|---|\n";
        const T defaults{};
        for (const Entry& e : entries_) {
            if (!e.listed) continue;
            std::string value = e.default_text;
            if (e.required)
                value = "*required*";
            else if (value.empty() && e.written && e.write)
                value = "`" + write_json_compact(e.write(defaults, {})) + "`";
            out += "| `" + e.key + "` | " + e.words + " | " + e.unit + " | " + value + " | " +
                   e.doc + " |\n";
        }
        return out;
    }

private:
    const Entry* find(const std::string& key) const {
        for (const Entry& e : entries_)
            if (e.listed && e.key == key) return &e;
        return nullptr;
    }
    std::string unknown(const std::string& key) const {
        std::vector<std::string> keys;
        std::string all;
        for (const Entry& e : entries_) {
            if (!e.listed) continue;
            keys.push_back(e.key);
            all += (all.empty() ? "" : ", ") + e.key;
        }
        const std::string near = did_you_mean(key, keys);
        return "unknown key " + in_quotes(key) + " in " + name_ +
               (near.empty() ? "; known keys: " + all : near);
    }

    std::string name_, doc_;
    std::vector<Entry> entries_;
    Check check_;
    Json more_schema_ = Json::object();
};

}  // namespace slosh
